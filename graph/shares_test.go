package graph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// countedShares enumerates the DAGs of the Markov equivalence class of p, whose edges are all undirected: acyclic directions without a v-structure.
func countedShares(p *PDAG) map[Edge]float64 {
	var edges []Edge
	for v := range p.N() {
		for _, w := range p.Neighbors(v) {
			if v < w {
				edges = append(edges, Edge{v, w})
			}
		}
	}
	count, members := map[Edge]float64{}, 0.0
	for code := range 1 << len(edges) {
		g := New(p.N())
		for k, e := range edges {
			if code>>k&1 == 1 {
				e = Edge{e.To, e.From}
			}
			g.AddEdge(e.From, e.To)
		}
		if !g.IsAcyclic() || !sameClass(g, p) {
			continue
		}
		members++
		for _, e := range g.Edges() {
			count[e]++
		}
	}
	for e := range count {
		count[e] /= members
	}
	return count
}

// sameClass reports whether no two parents of a node of g lack an edge in p.
func sameClass(g *Graph, p *PDAG) bool {
	for v := range g.N() {
		parents := g.Parents(v)
		for i, a := range parents {
			for _, b := range parents[:i] {
				if !slices.Contains(p.Neighbors(a), b) {
					return false
				}
			}
		}
	}
	return true
}

// TestSharesAgainstEnumeration checks that shares are exact for trees and for complete graphs, and the two
// directions of an edge always add up to 1.
func TestSharesAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for k := range 60 {
		n := 2 + rng.IntN(6)
		p := NewPDAG(n + 1) // the last node has no neighbours
		complete := k%4 == 0
		for v := 1; v < n; v++ {
			if complete {
				n = min(n, 4)
				for w := range v {
					if v < n {
						p.SetUndirected(w, v)
					}
				}
				continue
			}
			p.SetUndirected(rng.IntN(v), v)
		}
		got, want := p.Shares(), countedShares(p)
		if len(got) != len(want) {
			t.Fatalf("%d shares, want %d", len(got), len(want))
		}
		for e, s := range want {
			if !(math.Abs(got[e]-s) <= 1e-12) {
				t.Errorf("complete %v, %d nodes: the share of %v is %v, by enumeration %v", complete, n, e, got[e], s)
			}
		}
	}
}

// TestSharesOfChordalGraphs checks the approximate shares on chordal graphs that are neither trees nor
// complete.
func TestSharesOfChordalGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	worst, sum, edges := 0.0, 0.0, 0.0
	for range 40 {
		n := 4 + rng.IntN(3)
		p := NewPDAG(n)
		for v := 1; v < n; v++ { // each node is connected to a clique of earlier ones, which keeps the graph chordal
			w := rng.IntN(v)
			p.SetUndirected(w, v)
			for _, u := range p.Neighbors(w) {
				if u < v && rng.IntN(2) == 0 {
					p.SetUndirected(u, v)
					break
				}
			}
		}
		got, want := p.Shares(), countedShares(p)
		for e, s := range want {
			off := math.Abs(got[e] - s)
			worst, sum, edges = max(worst, off), sum+off, edges+1
			if back := got[Edge{e.To, e.From}]; !(math.Abs(got[e]+back-1) <= 1e-12) {
				t.Errorf("%v has %v and %v", e, got[e], back)
			}
		}
	}
	if worst > 0.25+1e-9 || sum > 0.05*edges {
		t.Errorf("shares are off by up to %v, %v on average; want at most 0.25 and 0.05", worst, sum/edges)
	}
}

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
		plain, lean := p.Shares(), p.DirectionShares(logOdds)
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
