package order

import (
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/search"
)

// ruledOut is by how much a graph must be worse to be ruled out, on the scale of twice the log-likelihood: 10 is called very
// strong evidence (Kass and Raftery 1995).
const ruledOut = 10

// openEdges names the edges of g whose direction a score that tells graphs of one Markov equivalence class apart does not
// settle: where an effect is a straight line after all, both directions fit about as well. Graphs of one class are joined by
// turning covered edges, x → y with parents(y) = parents(x) + x, one at a time (Chickering 1995); the edges are turned
// one after the other while the sum of what that costs stays below 10. Edges that begin at a fixed column are not turned.
func openEdges(g *graph.Graph, eval search.Evaluator, fixed func(x int) bool) map[graph.Edge]bool {
	parents := make([][]int, g.N())
	for v := range parents {
		parents[v] = slices.Clone(g.Parents(v))
	}
	open := map[graph.Edge]bool{} // as in g
	cost := 0.0
	for again := true; again; {
		again = false
		for y := range parents {
			for _, x := range slices.Clone(parents[y]) {
				key := graph.Edge{From: x, To: y}
				if !g.HasEdge(x, y) {
					key = graph.Edge{From: y, To: x}
				}
				rest := without(parents[y], x)
				if open[key] || fixed(x) || !slices.Equal(rest, parents[x]) {
					continue
				}
				turned := eval.Score(y, rest) + eval.Score(x, with(parents[x], y)) - eval.Score(y, parents[y]) - eval.Score(x, parents[x])
				if math.IsNaN(turned) || cost+turned >= ruledOut {
					continue
				}
				cost = max(0, cost+turned)
				open[key], again = true, true
				parents[y], parents[x] = rest, with(parents[x], y)
			}
		}
	}
	return open
}

// reversalBits returns the loss of score if only the edge x → y is reversed, in bits per row of the two columns together; nil if that
// closes a cycle.
func (at *local) reversalBits(g *graph.Graph, eval search.Evaluator, x, y int) *float64 {
	if slices.ContainsFunc(g.Children(x), func(z int) bool { return z != y && g.HasPath(z, y) }) {
		return nil
	}
	loss := eval.Score(y, without(g.Parents(y), x)) + eval.Score(x, with(g.Parents(x), y)) - eval.Score(y, g.Parents(y)) - eval.Score(x, g.Parents(x))
	bits := loss / (2 * max(at.n(x), at.n(y)) * math.Ln2)
	if math.IsNaN(bits) || math.IsInf(bits, 0) {
		return nil
	}
	return &bits
}

func without(set []int, x int) []int {
	return slices.DeleteFunc(slices.Clone(set), func(v int) bool { return v == x })
}

func with(set []int, x int) []int {
	at, _ := slices.BinarySearch(set, x)
	return slices.Insert(slices.Clone(set), at, x)
}
