package graph

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestWeightedSharesOfTrees compares the weighted shares of random trees with the enumeration of their DAGs, one for each root.
func TestWeightedSharesOfTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 2 + rng.IntN(7)
		p, odds := NewPDAG(n), make([]float64, n*n)
		for v := 1; v < n; v++ {
			p.SetUndirected(rng.IntN(v), v)
		}
		for k := range odds {
			odds[k] = rng.NormFloat64()
		}
		logOdds := func(i, j int) float64 { return odds[i*n+j] }
		share, total := map[Edge]float64{}, 0.0
		for root := range n {
			var edges []Edge
			var walk func(v, from int)
			walk = func(v, from int) {
				for _, w := range p.Neighbors(v) {
					if w != from {
						edges = append(edges, Edge{v, w})
						walk(w, v)
					}
				}
			}
			walk(root, -1)
			sum := 0.0
			for _, e := range edges {
				sum += logOdds(e.From, e.To)
			}
			total += math.Exp(sum)
			for _, e := range edges {
				share[e] += math.Exp(sum)
			}
		}
		plain, lean := p.Shares(), p.Lean(logOdds)
		for e, got := range p.WeightedShares(logOdds) {
			if want := share[e] / total; !(math.Abs(got-want) <= 1e-5) {
				t.Fatalf("share of %v: %v, want %v", e, got, want)
			}
			back := Edge{e.To, e.From}
			if lean[e]+lean[back] != 1 {
				t.Fatalf("lean of %v: %v and %v", e, lean[e], lean[back])
			}
			want := got * plain[back] / (got*plain[back] + (1-got)*plain[e])
			if !(math.Abs(lean[e]-want) <= 1e-5) {
				t.Fatalf("lean of %v: %v, want %v", e, lean[e], want)
			}
		}
	}
}
