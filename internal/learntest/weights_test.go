package learntest

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// mixture returns two kinds of rows in turn: y rises with x in one and falls in the other, so that the two are uncorrelated in the whole
// table. The weights are 1 for the first kind and as given for the second.
func mixture(n int, second float64) polydag.Columns {
	random := rand.New(rand.NewPCG(2, 4))
	out := polydag.Columns{{Name: "x"}, {Name: "y"}, {Name: "z"}, {Name: "w"}}
	for i := range n {
		slope, w := 2.0, 1.0
		if i%2 == 1 {
			slope, w = -2, second
		}
		x := random.NormFloat64()
		for j, v := range []float64{x, slope*x + random.NormFloat64(), random.NormFloat64(), w} {
			out[j].Numbers = append(out[j].Numbers, v)
		}
	}
	return out
}

// A refusal of row weights names the method, the column and a method that uses them. Package kit checks which methods refuse.
func TestRefusalOfRowWeights(t *testing.T) {
	p, cfg := polydag.DefaultPreparation(), polydag.DefaultConfig()
	p.RowWeights, cfg.Method = "w", using(t, "anm")
	table := must.Get(polydag.Prepare(t.Context(), mixture(80, 0.001), p))
	_, err := table.Learn(t.Context(), cfg, polydag.Run{})
	if !errors.Is(err, polydag.ErrWeights) {
		t.Fatal(err)
	}
	must.Contain(t, err.Error(), "method anm", "row-weights=w", "method=auto")
}

// A row with weight 0 is left out, and the scale of the weights does not matter.
func TestZeroWeights(t *testing.T) {
	p, cfg := polydag.DefaultPreparation(), polydag.DefaultConfig()
	p.RowWeights = "w"
	learn := func(columns polydag.Columns) string {
		table := must.Get(polydag.Prepare(t.Context(), columns, p))
		res := must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
		if res.Rows != 120 {
			t.Errorf("%d rows, want 120", res.Rows)
		}
		return untimed(t, res)
	}
	columns := mixture(240, 0)
	first, scaled := make(polydag.Columns, 4), make(polydag.Columns, 4)
	for j, c := range columns {
		first[j].Name, scaled[j].Name = c.Name, c.Name
		for i := 0; i < 240; i += 2 {
			first[j].Numbers = append(first[j].Numbers, c.Numbers[i])
		}
		scaled[j].Numbers = first[j].Numbers
	}
	scaled[3].Numbers = make([]float64, 120)
	for i := range scaled[3].Numbers {
		scaled[3].Numbers[i] = 8
	}
	want := learn(first)
	if got := learn(columns); got != want {
		t.Errorf("with rows of weight 0:\n%s\nwithout:\n%s", got, want)
	}
	if got := learn(scaled); got != want {
		t.Errorf("with weights 8:\n%s\nwith weights 1:\n%s", got, want)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		columns[3].Numbers[6] = bad
		if _, err := polydag.Prepare(t.Context(), columns, p); err == nil || !strings.Contains(err.Error(), "row 7") || !strings.Contains(err.Error(), "is not a weight") {
			t.Errorf("weight %v: %v", bad, err)
		}
	}
}

// Frequencies give the bytes of the expanded table, with every method, apart from the check that rows are independent.
func TestFrequenciesOfEveryMethod(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	columns := mixture(40, 1)[:3]
	times := polydag.Column{Name: "times"}
	expanded := make(polydag.Columns, len(columns))
	for j := range columns {
		expanded[j].Name = columns[j].Name
	}
	for i := range 40 {
		k := random.IntN(4)
		times.Numbers = append(times.Numbers, float64(k))
		for range k {
			for j := range columns {
				expanded[j].Numbers = append(expanded[j].Numbers, columns[j].Numbers[i])
			}
		}
	}
	p := polydag.DefaultPreparation()
	want := must.Get(polydag.Prepare(t.Context(), expanded, p))
	p.Frequencies = "times"
	got := must.Get(polydag.Prepare(t.Context(), append(polydag.Columns{times}, columns...), p))
	got.Profile.Frequencies = "" // the check of rows is made
	for _, m := range lab.All() {
		cfg := polydag.DefaultConfig()
		cfg.Method = using(t, m.Info().Name, "restarts=2", "steps=100", "max-steps=100", "passes=2", "hidden=4", "stage-steps=50", "last-steps=50", "graphs=20", "runs=1", "epochs=1", "fit-steps=20", "graph-steps=5")
		var text [2]string
		for k, table := range []*polydag.Table{want, got} {
			res, err := table.Learn(t.Context(), cfg, polydag.Run{})
			if err != nil {
				t.Fatalf("%s: %v", m.Info().Name, err)
			}
			text[k] = untimed(t, res)
		}
		if text[0] != text[1] {
			t.Errorf("%s:\n%s\nwant\n%s", m.Info().Name, text[1], text[0])
		}
	}
}
