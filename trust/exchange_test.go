package trust

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// What the best exchange of an adjacency loses equals the difference of two regressions, and limits the log odds.
func TestExchangeOfAnAdjacency(t *testing.T) {
	const n = 3000
	rng := rand.New(rand.NewPCG(7, 1))
	x := matrix.New[float64](n, 4)
	for i := range n {
		a := rng.NormFloat64()
		twin, other := a+0.1*rng.NormFloat64(), rng.NormFloat64()
		copy(x.Row(i), []float64{a, twin, other, a + 2*other + rng.NormFloat64()})
	}
	e := evidenceOf(t, []string{"a", "twin", "other", "y"}, x)
	g := graph.FromParents([][]int{nil, nil, nil, {0, 2}})
	swaps := newExchanges(e, Model{Graph: g})
	left := func(of ...int) float64 {
		var columns [][]float64
		for _, v := range of {
			columns = append(columns, columnOf(x, v))
		}
		return sumOfSquares(leastSquares(columnOf(x, 3), columns...))
	}
	want := math.Log(left(1, 2)) - math.Log(left(0, 2))
	if got := swaps.loss(0, 3); !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("the exchange of a for its twin loses %v, want %v", got, want)
	}
	twin, other := swaps.most(graph.Edge{From: 0, To: 3}), swaps.most(graph.Edge{From: 2, To: 3})
	if !(twin > 1.75 && twin < 3.5) || other < 4 {
		t.Errorf("the log odds are limited to %v where a twin fits nearly as well, and to %v", twin, other)
	}
	if newExchanges(namesOnly("a", "b"), Model{Graph: graph.New(2)}).most(graph.Edge{From: 0, To: 1}) < 1e300 {
		t.Error("exchanges without moments")
	}
}
