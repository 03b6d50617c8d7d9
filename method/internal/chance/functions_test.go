package chance

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// A category with three values against a number given another number: the squared multiple correlation of the scores of the number with
// the two indicators has the statistic (n - k - 3)·ln(1/(1 - R²)) with two degrees of freedom (Bartlett 1938).
func TestCategoryStepByStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	x := related(rng, 80, 3)
	var indicator [2][]float64
	for i := range x.Rows {
		level := float64(i % 3)
		x.Set(i, 1, level)
		x.Set(i, 2, x.At(i, 2)+0.4*level)
		indicator[0], indicator[1] = append(indicator[0], 0), append(indicator[1], 0)
		if level > 0 {
			indicator[int(level)-1][i] = 1
		}
	}
	z := column(x, 0)
	own := leastSquares(t, ranked(leastSquares(t, column(x, 2), z)), z)
	left := leastSquares(t, own, z, indicator[0], indicator[1])
	want := independence.ChiSquared((80-1-3)*math.Log(dot(own, own)/dot(left, left)), 2)
	e := Functions{Levels: []bool{false, true, false}}
	near(t, "p", New(input(t, x), 0, nil).Under(t.Context(), e)(1, 2, []int{0}), want, 1e-9)
}

// A p-value of a sample above the level is followed by the test on all rows, which are read once; one at the level is final.
func TestAllRowsDecide(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	all := related(rng, 400, 3)
	few := matrix.Of(60, 3, all.Data[:180])
	in := input(t, all)
	in.Sample = &dataset.Sample{Columns: 3, Values: few.Data, Index: make([]int, 60)}
	for i := range in.Sample.Index {
		in.Sample.Index[i] = i
	}
	small, whole := New(input(t, few), 0, nil).Lines(t.Context())(0, 1, nil), New(input(t, all), 0, nil).Lines(t.Context())(0, 1, nil)
	if small == whole {
		t.Fatal("the rows show nothing")
	}
	reads := 0
	read := func(context.Context) []float64 { reads++; return all.Data }
	below := New(in, 1e-300, read).Lines(t.Context())
	near(t, "p of all rows", below(0, 1, nil), whole, 1e-12)
	below(0, 1, nil)
	if reads != 1 {
		t.Errorf("the rows were read %d times", reads)
	}
	if p := New(in, 1, read).Lines(t.Context())(0, 1, nil); p == whole || reads != 1 {
		t.Errorf("p = %v of the sample is final, and the rows were read %d times", p, reads)
	}
	none := func(context.Context) []float64 { return nil }
	near(t, "p of the moments", New(in, 0, none).Lines(t.Context())(0, 1, nil), New(in, 0, nil).moments(0, 1, nil), 0)
	near(t, "p under another model", New(in, 0, none).Under(t.Context(), Functions{Levels: make([]bool, 3)})(0, 1, nil), 0, 0)
}

// If half of the rows have both values, the statistics of counts and of moments are those of half as many rows.
func TestPairShare(t *testing.T) {
	var columns [2][]uint32
	for cell, n := range []int{60, 40, 45, 55} {
		for range n {
			columns[0], columns[1] = append(columns[0], uint32(cell/2)), append(columns[1], uint32(cell%2))
		}
	}
	x := matrix.New[float64](200, 2)
	for i := range 200 {
		x.Set(i, 0, float64(columns[0][i]))
		x.Set(i, 1, float64(columns[1][i]))
	}
	in := input(t, x)
	in.PairShare = func(i, j int) float64 { return 0.5 }
	table := must.Get(counts.New(columns[:], counts.Rows{}))
	g2 := gSquared([][]float64{{60, 40}, {45, 55}})
	near(t, "p of counts", New(in, 0, nil).Counts(table, []int{0, 1})(0, 1, nil), independence.ChiSquared(g2/2, 1), 1e-9)
	a, b := column(x, 0), column(x, 1)
	centre(a)
	centre(b)
	r2 := dot(a, b) * dot(a, b) / (dot(a, a) * dot(b, b))
	near(t, "p of moments", New(in, 0, nil).moments(0, 1, nil), independence.ChiSquared(-(100-2.5)*math.Log(1-r2), 1), 1e-9)
}

// Under smooth effects the first four curves of the cause are tested against the normal scores of the effect: with R² the share that they
// explain, (n - 4)·ln(1/(1 - R²)) with four degrees of freedom.
func TestCurvesStepByStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	x := related(rng, 100, 2)
	fit := basis.NewFit([]string{"a", "b"}, make([]bool, 2))
	must.Succeed(t, fit.Add(x.Data))
	f := must.Get(fit.Functions(basis.DefaultSettings()))
	var curves [4][]float64
	at := make([]float64, f.Start()[1])
	for _, v := range column(x, 0) {
		f.At(at, 0, v)
		for k := range curves {
			curves[k] = append(curves[k], at[k+1])
		}
	}
	scores := leastSquares(t, ranked(column(x, 1)))
	left := leastSquares(t, scores, curves[:]...)
	want := independence.ChiSquared((100-4)*math.Log(dot(scores, scores)/dot(left, left)), 4)
	got := New(input(t, x), 0, nil).Under(t.Context(), Functions{Levels: make([]bool, 2), Curves: f})(0, 1, nil)
	near(t, "p", got, want, 1e-9)
}
