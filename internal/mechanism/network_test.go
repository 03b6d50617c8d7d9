package mechanism

import (
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
)

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
		n, err := FitNetwork(score.LinearEffects, g, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
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
