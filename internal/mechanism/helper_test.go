package mechanism

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/score"
)

// randomRows draws n rows of columns with two or three levels.
func randomRows(rng *rand.Rand, d, n int) *Rows {
	columns, levels := make([][]float64, d), make([][]float64, d)
	for v := range d {
		k := 2 + rng.IntN(2)
		for c := range k {
			levels[v] = append(levels[v], float64(c))
		}
		for range n {
			columns[v] = append(columns[v], float64(rng.IntN(k)))
		}
	}
	return New(columns, levels)
}

func near(t testing.TB, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: %v, want %v within %v", what, got, want, within)
	}
}

// A parent that is constant in one table has no effect there. Borrow takes the effect from the other table, and the noise from the own one.
func TestBorrowEffectsOfConstantParents(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	g := graph.New(2)
	g.AddEdge(0, 1)
	table := func(parent func() float64, shift float64) *Rows {
		columns := make([][]float64, 2)
		for range 500 {
			x := parent()
			columns[0] = append(columns[0], x)
			columns[1] = append(columns[1], 3*x+shift+rng.NormFloat64())
		}
		return New(columns, make([][]float64, 2))
	}
	before, after := table(rng.NormFloat64, 0), table(func() float64 { return 2 }, 5)
	fit := func(rows *Rows) *Network {
		n := must.Get(FitNetwork(score.LinearEffects, g, rows, nil))
		return n
	}
	first, second := fit(before), fit(after)
	second.Borrow(first, after, before, []int{0, 1})
	near(t, "slope", second.F[1].At([]float64{1})[0]-second.F[1].At([]float64{0})[0], 3, 0.2)
	near(t, "mean at 2", second.F[1].At([]float64{2})[0]+second.Mean[1], 11, 0.2)
	near(t, "variance of the noise", second.Variance[1], 1, 0.2)
	slope := first.F[1].At([]float64{1})[0]
	first.Borrow(second, before, after, []int{0, 1})
	near(t, "slope of a parent that varies", first.F[1].At([]float64{1})[0], slope, 0)
}
