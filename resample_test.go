package polydag_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// Forty clusters of five copies carry the information of forty rows, and half of the clusters that of twenty.
func TestHalvesOfClusters(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	columns := polydag.Columns{{Name: "a"}, {Name: "b"}, {Name: "person"}}
	for k := range 40 {
		a, b := random.NormFloat64(), random.NormFloat64()
		for range 5 {
			columns[0].Numbers = append(columns[0].Numbers, a)
			columns[1].Numbers = append(columns[1].Numbers, b)
			columns[2].Text = append(columns[2].Text, fmt.Sprint("p", k))
		}
	}
	p := polydag.DefaultPreparation()
	p.Clusters = "person"
	table := must.Get(polydag.Prepare(t.Context(), columns, p))
	from := must.Get(table.Resampler(t.Context(), 1<<30))
	if n := table.EffectiveRows(); n != 40 {
		t.Fatalf("%d effective rows, want 40", n)
	}
	for _, c := range []struct {
		kind            polydag.Resampling
		rows, effective int
	}{{polydag.Halves, 100, 20}, {polydag.Bootstrap, 200, 40}} {
		got := must.Get(from.Draw(t.Context(), polydag.Draw{Kind: c.kind, Seed: 1}))
		if got.Rows() != c.rows || got.EffectiveRows() != c.effective {
			t.Errorf("%s: %d rows, %d effective, want %d and %d", c.kind, got.Rows(), got.EffectiveRows(), c.rows, c.effective)
		}
	}
}

// The values drawn for missing ones are independent between bootstrap samples. The rows without a value of y come first and have the
// same x, so that their draws differ by nothing but noise.
func TestSamplesDrawMissingValuesAnew(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	columns := polydag.Columns{{Name: "x"}, {Name: "y"}, {Name: "z"}}
	const n, lost = 400, 200
	for i := range n {
		x, y, z := 1.0, math.NaN(), "u"
		if i >= lost {
			x, y = random.NormFloat64(), random.NormFloat64()
			if random.IntN(2) == 0 {
				z = "v"
			}
		}
		columns[0].Numbers = append(columns[0].Numbers, x)
		columns[1].Numbers = append(columns[1].Numbers, y)
		columns[2].Text = append(columns[2].Text, z)
	}
	table := must.Get(polydag.Prepare(t.Context(), columns, polydag.DefaultPreparation()))
	from := must.Get(table.Resampler(t.Context(), 1<<30))
	const most = 150 // a sample has at least as many of the incomplete rows
	var drawn [2][]float64
	for k := range drawn {
		sample := must.Get(from.Draw(t.Context(), polydag.Draw{Kind: polydag.Bootstrap, Seed: 1, Replicate: k}))
		must.Succeed(t, sample.EachRow(t.Context(), func(rows []float64, _ []int) error {
			for i := 0; i < len(rows) && len(drawn[k]) < most; i += 3 {
				drawn[k] = append(drawn[k], rows[i+1])
			}
			return nil
		}))
	}
	var sum [2]float64
	for i := range most {
		sum[0] += drawn[0][i] / most
		sum[1] += drawn[1][i] / most
	}
	var xx, yy, xy float64
	for i := range most {
		a, b := drawn[0][i]-sum[0], drawn[1][i]-sum[1]
		xx, yy, xy = xx+a*a, yy+b*b, xy+a*b
	}
	if r := xy / math.Sqrt(xx*yy); !(math.Abs(r) < 0.3) {
		t.Errorf("the draws of two samples have correlation %.2f", r)
	}
}
