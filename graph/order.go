package graph

import (
	"fmt"
	"strconv"
	"strings"
)

// Order returns a topological order: every edge goes from an earlier to a later node. Among all such orders it is the
// lexicographically smallest (Kahn's algorithm with a heap), so it depends only on the graph. If g has a cycle the error is a
// *CycleError with a cycle as the witness. O((n + edges) log n) for a DAG; see ShortestCycle for the cost of the witness.
func (g *Graph) Order() ([]int, error) {
	missing := make([]int, g.N())
	var ready minHeap
	for v, p := range g.parents {
		missing[v] = len(p)
		if len(p) == 0 {
			ready = append(ready, v) // ascending, hence already a heap
		}
	}
	order := make([]int, 0, g.N())
	for len(ready) > 0 {
		v := ready.pop()
		order = append(order, v)
		for _, c := range g.children[v] {
			if missing[c]--; missing[c] == 0 {
				ready.push(c)
			}
		}
	}
	if len(order) < g.N() {
		return nil, &CycleError{Cycle: g.ShortestCycle()}
	}
	return order, nil
}

// IsAcyclic reports whether g is a DAG. O(n + edges).
func (g *Graph) IsAcyclic() bool {
	missing := make([]int, g.N())
	ready := make([]int, 0, g.N())
	for v, p := range g.parents {
		missing[v] = len(p)
		if len(p) == 0 {
			ready = append(ready, v)
		}
	}
	for k := 0; k < len(ready); k++ {
		for _, c := range g.children[ready[k]] {
			if missing[c]--; missing[c] == 0 {
				ready = append(ready, c)
			}
		}
	}
	return len(ready) == g.N()
}

// CheckOrder returns nil if order is a topological order of g, and otherwise an error that describes the
// problem: not a permutation of the nodes, or an edge that goes backwards. A valid order proves that the graph
// is a DAG.
func (g *Graph) CheckOrder(order []int) error {
	if len(order) != g.N() {
		return fmt.Errorf("order has %d nodes, the graph has %d", len(order), g.N())
	}
	place := make([]int, g.N())
	for i := range place {
		place[i] = -1
	}
	for k, v := range order {
		if v < 0 || v >= g.N() {
			return fmt.Errorf("order position %d holds node %d; nodes are 0..%d", k, v, g.N()-1)
		}
		if place[v] >= 0 {
			return fmt.Errorf("order holds node %d twice, at positions %d and %d", v, place[v], k)
		}
		place[v] = k
	}
	for i, children := range g.children {
		for _, j := range children {
			if place[i] >= place[j] {
				return fmt.Errorf("edge %d → %d goes against the order: positions %d and %d", i, j, place[i], place[j])
			}
		}
	}
	return nil
}

// A CycleError reports that a graph is not a DAG, with a cycle as proof.
type CycleError struct {
	// Cycle lists the nodes of a simple cycle once each: every node has an edge to the
	// next one, and the last to the first. A self-loop is one node.
	Cycle []int
	// Names has the names of all nodes, or nil. Error prints them instead of numbers.
	Names []string
}

// Error names the cycle: "cycle 3 → 5 → 3".
func (e *CycleError) Error() string {
	var b strings.Builder
	b.WriteString("cycle ")
	for _, v := range e.Cycle {
		b.WriteString(e.name(v))
		b.WriteString(" → ")
	}
	if len(e.Cycle) > 0 {
		b.WriteString(e.name(e.Cycle[0]))
	}
	return b.String()
}

func (e *CycleError) name(v int) string {
	if v < len(e.Names) {
		return e.Names[v]
	}
	return strconv.Itoa(v)
}

// WithNames returns a copy of the error that prints names[v] for node v. The names are
// kept, not copied.
func (e *CycleError) WithNames(names []string) *CycleError {
	return &CycleError{Cycle: e.Cycle, Names: names}
}

// A minHeap is a binary heap of nodes with the smallest at index 0.
type minHeap []int

func (h *minHeap) push(v int) {
	a := append(*h, v)
	k := len(a) - 1
	for k > 0 {
		up := (k - 1) / 2
		if a[up] <= a[k] {
			break
		}
		a[up], a[k] = a[k], a[up]
		k = up
	}
	*h = a
}

func (h *minHeap) pop() int {
	a := *h
	top := a[0]
	last := len(a) - 1
	a[0] = a[last]
	a = a[:last]
	for k := 0; ; {
		down := 2*k + 1
		if down >= len(a) {
			break
		}
		if down+1 < len(a) && a[down+1] < a[down] {
			down++
		}
		if a[k] <= a[down] {
			break
		}
		a[k], a[down] = a[down], a[k]
		k = down
	}
	*h = a
	return top
}
