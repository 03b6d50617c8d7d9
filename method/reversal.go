package method

import (
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/search"
)

// weakLoss is the largest score gain of a weak edge (ΔBIC).
const weakLoss = 10

// Reversals returns EdgeFacts.ReversalLoss by edge for a DAG under a local score. If the score is score-equivalent, only edges that
// are directed in the equivalence class are evaluated, and the loss of an edge whose direction depends on a weak edge is at most
// the gain of the weak edge. It returns nil if the losses cannot be evaluated.
func Reversals(g *graph.Graph, eval search.Evaluator, equivalent bool) map[graph.Edge]float64 {
	wanted := func(graph.Edge) bool { return true }
	if equivalent {
		class, err := graph.CPDAG(g)
		if err != nil {
			return nil
		}
		wanted = func(e graph.Edge) bool { return class.HasDirected(e.From, e.To) }
	}
	losses, err := search.Reversals(g, eval, wanted)
	if err != nil {
		return nil
	}
	if equivalent {
		boundByWeak(losses, g, eval)
	}
	return losses
}

// boundByWeak lowers the loss of each edge that is undirected in the class of g without one other edge to the loss of removing that
// edge.
func boundByWeak(losses map[graph.Edge]float64, g *graph.Graph, eval search.Evaluator) {
	without := g.Clone()
	for _, weak := range g.Edges() {
		if _, directed := losses[weak]; !directed { // an undirected edge decides no other direction
			continue
		}
		parents := g.Parents(weak.To)
		rest := slices.DeleteFunc(slices.Clone(parents), func(p int) bool { return p == weak.From })
		loss := max(0, eval.Score(weak.To, rest)-eval.Score(weak.To, parents))
		if !(loss < weakLoss) {
			continue
		}
		without.RemoveEdge(weak.From, weak.To)
		if class, err := graph.CPDAG(without); err == nil {
			for e, was := range losses {
				if e != weak && was > loss && !class.HasDirected(e.From, e.To) {
					losses[e] = loss
				}
			}
		}
		without.AddEdge(weak.From, weak.To)
	}
}
