package trust

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
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
	twin, other := swaps.most(graph.Edge{From: 0, To: 3}, 1), swaps.most(graph.Edge{From: 2, To: 3}, 1)
	if !(twin > 1.75 && twin < 3.5) || other < 4 {
		t.Errorf("the log odds are limited to %v where a twin fits nearly as well, and to %v", twin, other)
	}
	loss := math.Sqrt(max(swaps.loss(2, 3), swaps.loss(3, 2)))
	for saved, want := range map[float64]float64{0.01: 1.75 + 5*(loss+0.1), -1: 1.75 + 5*loss, 100: 1.75 + 14*loss} { // the limits that the comment states
		if got := swaps.most(graph.Edge{From: 2, To: 3}, saved); !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("an edge that saves %v per row: log odds of %v, want %v", saved, got, want)
		}
	}
	if newExchanges(namesOnly("a", "b"), Model{Graph: graph.New(2)}).most(graph.Edge{From: 0, To: 1}, 1) < 1e300 {
		t.Error("exchanges without moments")
	}
}

// The adjacencies of a category that is nearly a function of another one are uncertain, and only these.
func TestExchangeOfCategories(t *testing.T) {
	const n = 2000
	rng := rand.New(rand.NewPCG(7, 2))
	x := matrix.New[float64](n, 4)
	for i := range n {
		a, other := rng.IntN(3), rng.IntN(3)
		twin, y := a, (a+other)%3
		if rng.IntN(50) == 0 {
			twin = rng.IntN(3)
		}
		if rng.IntN(2) == 0 {
			y = max(a, other)
		}
		copy(x.Row(i), []float64{float64(a), float64(twin), float64(other), float64(y)})
	}
	e := evidenceOf(t, []string{"a", "twin", "other", "y"}, x)
	kinds := make([]dataset.Variable, 4)
	for v := range kinds {
		kinds[v] = dataset.Variable{Name: e.Moments.Names[v], Kind: dataset.Categorical, Levels: 3}
	}
	swaps := newExchanges(e, Model{Graph: graph.FromParents([][]int{nil, {0}, nil, {0, 2}}), Kinds: kinds})
	of := func(u, v int) float64 { return swaps.most(graph.Edge{From: u, To: v}, 1) }
	if !(of(0, 3) < 2) || of(2, 3) < 4 || of(0, 1) < 4 {
		t.Errorf("the log odds are limited to %v at a, which has a twin, to %v at a column without a twin, and to %v between twins", of(0, 3), of(2, 3), of(0, 1))
	}
	for u := range 4 {
		for v := range 4 {
			if got, want := swaps.information(u, v), swaps.information(v, u); !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("the information of %d and %d is %v and %v", u, v, got, want)
			}
		}
	}
	if got := swaps.information(0, 2); !(math.Abs(got) < 0.005) {
		t.Errorf("independent columns have the information %v", got)
	}
	if got := swaps.information(0, 0); !(math.Abs(got-math.Log(3)) < 0.005) {
		t.Errorf("the entropy of a is %v, want %v", got, math.Log(3))
	}
}
