package graph

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveOrder is Kahn's algorithm by its definition: take the smallest node whose parents are all taken; nil if
// there is none.
func naiveOrder(g *Graph) []int {
	taken := make([]bool, g.N())
	order := []int{}
	for len(order) < g.N() {
		found := -1
		for v := range g.N() {
			ready := !taken[v]
			for _, p := range g.Parents(v) {
				ready = ready && taken[p]
			}
			if ready {
				found = v
				break
			}
		}
		if found < 0 {
			return nil
		}
		taken[found] = true
		order = append(order, found)
	}
	return order
}

func TestOrderAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	acyclic := 0
	for trial := range 3000 {
		n := rng.IntN(9)
		var g *Graph
		if trial%2 == 0 {
			g = randomGraph(rng, n, 0.15, true)
		} else {
			g = randomDAG(rng, n, 0.4)
		}
		want := naiveOrder(g)
		got, err := g.Order()
		if (err == nil) != (want != nil) || g.IsAcyclic() != (want != nil) {
			t.Fatalf("trial %d: acyclic: Order %v, IsAcyclic %v, naive %v", trial, err, g.IsAcyclic(), want != nil)
		}
		if err != nil {
			var cycle *CycleError
			if !errors.As(err, &cycle) {
				t.Fatalf("error of type %T", err)
			}
			checkCycle(t, g, cycle.Cycle)
			continue
		}
		acyclic++
		if !slices.Equal(got, want) {
			t.Fatalf("trial %d: order %v, want %v", trial, got, want)
		}
		if err := g.CheckOrder(got); err != nil {
			t.Fatalf("trial %d: %v", trial, err)
		}
		if n > 1 {
			backwards := slices.Clone(got)
			slices.Reverse(backwards)
			if (g.CheckOrder(backwards) == nil) != (g.NumEdges() == 0) {
				t.Fatalf("trial %d: CheckOrder is wrong on a reversed order", trial)
			}
		}
	}
	if acyclic < 1500 || acyclic == 3000 {
		t.Fatalf("%d of 3000 graphs acyclic: the test does not see both kinds", acyclic)
	}
}

func TestCheckOrderRejects(t *testing.T) {
	g := mustEdges(t, 3, Edge{0, 1}, Edge{1, 2})
	for _, order := range [][]int{{0, 1}, {0, 1, 1}, {0, 1, 3}, {-1, 0, 1}, {1, 0, 2}} {
		if g.CheckOrder(order) == nil {
			t.Errorf("CheckOrder(%v) = nil", order)
		}
	}
	loop := mustEdges(t, 1, Edge{0, 0})
	if loop.CheckOrder([]int{0}) == nil {
		t.Error("CheckOrder accepts a self-loop")
	}
}

func TestCycleErrorText(t *testing.T) {
	g := mustEdges(t, 6, Edge{3, 5}, Edge{5, 3}, Edge{0, 3})
	_, err := g.Order()
	if err == nil || err.Error() != "cycle 3 → 5 → 3" {
		t.Fatalf("error %v", err)
	}
	var cycle *CycleError
	if !errors.As(err, &cycle) {
		t.Fatalf("error of type %T", err)
	}
	named := cycle.WithNames([]string{"a", "b", "c", "age", "e", "income"})
	if named.Error() != "cycle age → income → age" {
		t.Fatalf("error %v", named)
	}
	if cycle.Names != nil {
		t.Fatal("WithNames changed its receiver")
	}
	_, err = mustEdges(t, 2, Edge{1, 1}).Order()
	if err == nil || err.Error() != "cycle 1 → 1" {
		t.Fatalf("error %v", err)
	}
}

func TestOrderOfLongPath(t *testing.T) {
	const n = 10_000
	g := New(n)
	for v := range n - 1 {
		g.AddEdge(v+1, v)
	}
	order, err := g.Order()
	if err != nil || order[0] != n-1 || order[n-1] != 0 {
		t.Fatalf("order of a path: %v", err)
	}
	g.AddEdge(0, n-1)
	_, err = g.Order()
	var cycle *CycleError
	if !errors.As(err, &cycle) || len(cycle.Cycle) != n {
		t.Fatalf("the cycle through all nodes was not found: %T", err)
	}
	checkCycle(t, g, cycle.Cycle)
	if c := g.CyclicComponents(); len(c) != 1 || len(c[0]) != n {
		t.Fatalf("%d components", len(c))
	}
}
