package sim

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDrawPredictor checks the ranges of the effects: ±[0.5, 2] of a category and ±[0.5, 1.5] of a number on a number, and the variance
// 1 of the effects of a category on a category.
func TestDrawPredictor(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	m := &Model{parents: [][]int{nil, nil, {0, 1}, {0, 1}}, levels: []int{3, 0, 0, 4}, sd: []float64{1, 1, 0.7, 1}, mean: make([]float64, 4), scale: make([]float64, 4)}
	least, most, squares := [2]float64{9, 9}, [2]float64{}, 0.0
	const n = 2000
	for range n {
		p := m.drawPredictor(2, rng)
		for k, effects := range p.effects {
			for _, e := range effects {
				least[k], most[k] = min(least[k], math.Abs(e)), max(most[k], math.Abs(e))
			}
		}
		q := m.drawPredictor(3, rng)
		if len(p.effects[0]) != 3 || len(p.effects[1]) != 1 || len(q.effects[0]) != 12 || len(q.effects[1]) != 4 || p.sd != 0.7 {
			t.Fatalf("effects %v and %v, want one for each pair of categories", p.effects, q.effects)
		}
		for _, e := range q.effects[0] {
			squares += e * e / 12
		}
	}
	for k, want := range []float64{2, 1.5} {
		if least[k] < 0.5 || least[k] > 0.51 || most[k] > want || most[k] < want-0.01 {
			t.Errorf("effects of parent %d between %v and %v, want 0.5 and %v", k, least[k], most[k], want)
		}
	}
	if math.Abs(squares/n-1) > 0.05 {
		t.Errorf("the variance of effects of categories on categories is %v, want 1", squares/n)
	}
}

// TestBounded compares the three curves of a series with their formulas.
func TestBounded(t *testing.T) {
	for lag, want := range []func(y float64) float64{
		func(y float64) float64 { return 4*math.Exp(-y*y/2) - 2 },
		func(y float64) float64 { return 3 * math.Sin(y) },
		func(y float64) float64 { return 3 * (math.Exp(4*y) - 1) / (math.Exp(4*y) + 1) },
	} {
		edge := LaggedEdge{Lag: lag}
		edge.From, edge.To = 1, 2
		for _, y := range []float64{-1.5, 0, 0.7} {
			if got := bounded(y, edge); math.Abs(got-want(y)) > 1e-12 {
				t.Errorf("curve %d at %v: %v, want %v", lag, y, got, want(y))
			}
		}
	}
}
