package mechanism

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// TestCurveAgainstAllFunctions checks that a curve with products of two causes is the sum over all functions
// that Expand writes, weight by weight, and its mean over the rows is the mean of the column.
func TestCurveAgainstAllFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	g, _ := graph.FromEdges(3, []graph.Edge{{From: 1, To: 0}, {From: 2, To: 0}})
	d := &Rows{N: 800, Columns: make([][]float64, 3), Levels: make([][]float64, 3)}
	for range d.N {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		d.Columns[0] = append(d.Columns[0], math.Sin(2*x)+x*y+0.1*rng.NormFloat64())
		d.Columns[1], d.Columns[2] = append(d.Columns[1], x), append(d.Columns[2], y)
	}
	f, err := fitCurve(g, d, 0)
	must.Succeed(t, err)
	c := f.(*curve)
	if len(c.pairs) == 0 {
		t.Fatal("no products: the test looks at too little")
	}
	all := make([]float64, len(c.weights))
	mean, left := 0.0, 0.0
	for i := range d.N {
		x, y := d.Columns[1][i], d.Columns[2][i]
		must.Succeed(t, c.functions.Expand(all, []float64{0.5, x, y}))
		want := c.constant
		for k, w := range c.weights {
			if w != 0 {
				want += w * all[k]
			}
		}
		got := c.At([]float64{x, y})[0]
		near(t, "curve", got, want, 1e-9)
		mean += (got - d.Columns[0][i]) / float64(d.N)
		left += (got - d.Columns[0][i]) * (got - d.Columns[0][i]) / float64(d.N)
	}
	near(t, "mean of the noise", mean, 0, 1e-9)
	if left > 0.4 {
		t.Errorf("variance %v is left, of about 1.5", left)
	}
	d.Uncrossed = true
	if f, err = fitCurve(g, d, 0); err != nil || len(f.(*curve).pairs) > 0 {
		t.Errorf("uncrossed rows have products: %v, %v", f.(*curve).pairs, err)
	}
}

// TestLogitHasTheSharesOfTheRows checks that a logit of levels without causes of numbers has the shares of the
// rows, up to its prior.
func TestLogitHasTheSharesOfTheRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	g, _ := graph.FromEdges(2, []graph.Edge{{From: 1, To: 0}})
	d := &Rows{N: 3000, Columns: make([][]float64, 2), Levels: [][]float64{{0, 1, 2}, {0, 1}}, categorical: []bool{true, true}}
	counts := [2][3]float64{}
	for range d.N {
		p := rng.IntN(2)
		c := Pick([]float64{0.2 + 0.3*float64(p), 0.3, 0.5 - 0.3*float64(p)}, rng.Float64())
		d.Columns[0], d.Columns[1] = append(d.Columns[0], float64(c)), append(d.Columns[1], float64(p))
		counts[p][c]++
	}
	f := must.Get(fitLogit(g, d, 0))
	for p := range 2 {
		n := counts[p][0] + counts[p][1] + counts[p][2]
		for c, share := range f.At([]float64{float64(p)}) {
			near(t, "share", share, counts[p][c]/n, 2e-3)
		}
	}
}

// TestCurveOfABinaryNumber checks that a parent with two values is a number unless it is nominal: halfway between its values the curve is
// halfway between the means.
func TestCurveOfABinaryNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	g, _ := graph.FromEdges(2, []graph.Edge{{From: 1, To: 0}})
	columns := make([][]float64, 2)
	for i := range 400 {
		x := float64(i % 2)
		columns[0], columns[1] = append(columns[0], 3*x+0.1*rng.NormFloat64()), append(columns[1], x)
	}
	f := must.Get(fitCurve(g, New(columns, [][]float64{nil, {0, 1}}), 0))
	near(t, "difference", f.At([]float64{1})[0]-f.At([]float64{0})[0], 3, 0.1)
	near(t, "halfway", f.At([]float64{0.5})[0]-f.At([]float64{0})[0], 1.5, 0.05)
}
