package learntest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
)

// independentColumns draws columns that have nothing to do with each other.
func independentColumns(n, d int, seed uint64, kinds ...string) *sheet {
	rng := rand.New(rand.NewPCG(seed, uint64(n*d)))
	student := func() float64 {
		sum := 0.0
		for range 3 {
			z := rng.NormFloat64()
			sum += z * z
		}
		return rng.NormFloat64() / math.Sqrt(sum/3)
	}
	s := &sheet{}
	for j := range d {
		s.add(fmt.Sprintf("x%d", j), n, func(int) string {
			switch kinds[j%len(kinds)] {
			case "t3":
				return fmt.Sprintf("%.6f", student())
			case "binary":
				return fmt.Sprint(rng.IntN(2))
			case "rare":
				return fmt.Sprint(int(0.05 + rng.Float64()))
			case "categories":
				return string(rune('a' + rng.IntN(3)))
			}
			return fmt.Sprintf("%.6f", rng.NormFloat64())
		})
	}
	return s
}

// TestIndependentColumnsHaveNoEdges checks that independent columns have no edges, for any tails, kinds and
// number of columns. 0.01 are expected in each of the 14 tables, and one in total is allowed, undirected. The
// noise variances must not be called equal.
func TestIndependentColumnsHaveNoEdges(t *testing.T) {
	edges := 0
	for _, c := range []struct {
		n, d  int
		kinds []string
	}{
		{100, 200, []string{"gaussian"}}, {100, 200, []string{"t3"}}, {300, 40, []string{"gaussian"}}, {300, 40, []string{"t3"}},
		{300, 100, []string{"categories"}}, {300, 100, []string{"binary"}}, {300, 60, []string{"t3", "categories", "binary", "gaussian", "rare"}},
	} {
		for seed := uint64(1); seed <= 2; seed++ {
			res := learnedFrom(t, prepared(t, independentColumns(c.n, c.d, seed, c.kinds...).plain()), nil)
			for _, e := range res.Edges {
				edges++
				if edges > 1 || e.Compelled {
					t.Errorf("%d rows × %d columns of %v, seed %d: %s → %s, compelled %v", c.n, c.d, c.kinds, seed, e.From, e.To, e.Compelled)
				}
			}
			if v := res.Choice("variance"); v != nil && v.Chosen != "unequal" {
				t.Errorf("%d rows × %d columns of %v: variances %s", c.n, c.d, c.kinds, v.Chosen)
			}
			if c := res.Choice("false edges"); c == nil || c.Chosen != "0.01" {
				t.Errorf("the result does not say what was controlled: %+v", c)
			}
		}
	}
}

// TestEveryEdgeGains checks that every edge has a gain under the score of the model, also with non-Gaussian
// noise.
func TestEveryEdgeGains(t *testing.T) {
	for _, noise := range []sim.NoiseKind{sim.Laplace, sim.Exponential} {
		cfg := sim.Default()
		cfg.Nodes, cfg.Edges, cfg.Noise, cfg.Seed, cfg.Standardize, cfg.WeightLow, cfg.WeightHigh = 20, 30, noise, 2, true, 0.1, 0.5
		model := must.Get(sim.New(cfg))
		x := model.Sample(sim.Stream(2, sim.StreamNoise), 400)
		s := &sheet{}
		for j, name := range model.Names() {
			s.add(name, 400, func(i int) string { return fmt.Sprintf("%.6f", x.At(i, j)) })
		}
		res := learnedFrom(t, prepared(t, s.plain()), nil)
		if c := res.Choice("noise"); c == nil || c.Chosen != "free" {
			t.Errorf("%v: noise %+v", noise, c)
		}
		for _, e := range res.Edges {
			if e.Gain < 0 {
				t.Errorf("%v: %s → %s has the gain %v", noise, e.From, e.To, e.Gain)
			}
		}
	}
}

// TestTotalIsExcluded checks that a total of other columns is excluded with a reason.
func TestTotalIsExcluded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var a, b []float64
	for range 200 {
		a, b = append(a, rng.NormFloat64()), append(b, 2*rng.NormFloat64())
	}
	s := &sheet{}
	s.add("total", 200, func(i int) string { return fmt.Sprint(a[i] + b[i]) })
	s.add("a", 200, func(i int) string { return fmt.Sprint(a[i]) })
	s.add("b", 200, func(i int) string { return fmt.Sprint(b[i]) })
	s.add("c", 200, func(i int) string { return fmt.Sprint(a[i] + rng.NormFloat64()) })
	table := must.Get(polydag.Prepare(context.Background(), written{text: s.plain()}, polydag.DefaultPreparation()))
	res := learnedFrom(t, table, nil)
	want := []dataset.Excluded{{Name: "total", Reason: "linear function of other columns", Detail: "total = b + a + constant"}}
	if len(res.Names) != 3 || !slices.Equal(res.Table.Excluded, want) {
		t.Errorf("columns %v, excluded %+v", res.Names, res.Table.Excluded)
	}
	if note := "1 column excluded (total: linear function of other columns)"; !slices.Contains(res.Table.Notes, note) {
		t.Errorf("notes %q, want %q among them", res.Table.Notes, note)
	}
}

// TestRepeatedRecords checks that columns that repeat 30 records in 300 rows have 30 observations: no edges
// among 20 independent ones.
func TestRepeatedRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	s := &sheet{}
	for j := range 8 {
		var value [30]float64
		for k := range value {
			value[k] = rng.NormFloat64()
		}
		s.add(fmt.Sprintf("x%d", j), 300, func(i int) string { return fmt.Sprint(value[i%30]) })
	}
	res := learnedFrom(t, prepared(t, s.plain()), nil)
	if len(res.Edges) > 0 || !strings.Contains(strings.Join(res.Warnings, "\n"), "the 300 rows contain only 30 distinct records in 8 of 8 columns; the effective sample size is 30") {
		t.Errorf("%d edges, warnings %v", len(res.Edges), res.Warnings)
	}
}
