package method

import (
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/search"
)

// weakLoss is the most that a weak edge is worth to the score (ΔBIC).
const weakLoss = 10

// Reversals returns EdgeFacts.ReversalLoss by edge for a DAG under a local score. If graphs of one Markov equivalence class have the
// same score (equivalent), only the edges that the class directs are evaluated, and one that the class without a weak edge leaves open
// loses at most what the weak edge is worth. It returns nil if they cannot be evaluated.
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

// boundByWeak lowers the loss of each edge that is open in the class of g without one other edge to the loss of removing that edge.
func boundByWeak(losses map[graph.Edge]float64, g *graph.Graph, eval search.Evaluator) {
	without := g.Clone()
	for _, weak := range g.Edges() {
		if _, directed := losses[weak]; !directed { // no other direction follows from an open one
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
