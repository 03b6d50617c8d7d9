package method

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/search"
)

// Reversals returns EdgeFacts.ReversalLoss by edge for a DAG under a local score. If graphs of one Markov equivalence class have the
// same score (equivalent), only the edges that the class directs are evaluated. It returns nil if they cannot be evaluated.
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
	return losses
}
