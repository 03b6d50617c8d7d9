package graph

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Threshold returns the graph on n nodes with the edges |weight(i, j)| > tau, including the diagonal. The
// inequality is strict, so tau = 0 keeps every nonzero entry. A NaN weight gives no edge; callers check that
// weights are finite. It calls weight n² times.
func Threshold(n int, weight func(i, j int) float64, tau float64) *Graph {
	g := New(n)
	for i := range n {
		for j := range n {
			if math.Abs(weight(i, j)) > tau {
				g.children[i] = append(g.children[i], j)
			}
		}
	}
	g.finishFrom(g.children, g.parents)
	return g
}

// SmallestAcyclicThreshold returns the smallest tau >= 0 for which Threshold(n, weight,
// tau) is a DAG, and that DAG. It is exact: tau is 0 or the absolute value of an entry,
// namely
//
//	tau = max over cycles C of min over edges (i, j) of C of |weight(i, j)|,
//
// and edges of equal weight stay or go together. A cycle of infinite weights gives tau =
// +Inf and no edges.
//
// Cycles of one and two nodes give a lower bound on tau in O(n²) that usually leaves few
// edges; those are sorted and the answer found by binary search, O(m log m) for m edges.
func SmallestAcyclicThreshold(n int, weight func(i, j int) float64) (tau float64, g *Graph) {
	for i := range n {
		if w := math.Abs(weight(i, i)); w > tau {
			tau = w
		}
		for j := range i {
			if w := min(math.Abs(weight(i, j)), math.Abs(weight(j, i))); w > tau {
				tau = w
			}
		}
	}
	g = Threshold(n, weight, tau)
	if g.IsAcyclic() {
		return tau, g
	}

	edges := make([]weightedEdge, 0, g.edges)
	for _, e := range g.Edges() {
		edges = append(edges, weightedEdge{e, math.Abs(weight(e.From, e.To))})
	}
	slices.SortFunc(edges, func(a, b weightedEdge) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), a.Compare(b.Edge))
	})
	// ends[k] edges are at least as heavy as the k-th largest distinct weight. Keeping
	// ends[k] of them is a DAG up to some k and a cycle from there on.
	var ends []int
	for k := range edges {
		if k+1 == len(edges) || edges[k+1].weight != edges[k].weight {
			ends = append(ends, k+1)
		}
	}
	first := sort.Search(len(ends), func(k int) bool {
		return !heaviest(n, edges[:ends[k]]).IsAcyclic()
	})
	keep := 0
	if first > 0 {
		keep = ends[first-1]
	}
	return edges[keep].weight, heaviest(n, edges[:keep])
}

// A weightedEdge is an edge with the absolute value of its weight.
type weightedEdge struct {
	Edge
	weight float64
}

func heaviest(n int, edges []weightedEdge) *Graph {
	g := New(n)
	for _, e := range edges {
		g.children[e.From] = append(g.children[e.From], e.To)
	}
	g.finishFrom(g.children, g.parents)
	return g
}
