package method

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/search"
)

// Reversals returns Answer.Reversal for a DAG under a local score. If graphs of one Markov equivalence class have the same
// score (equivalent), only the edges that the class directs are evaluated.
func Reversals(g *graph.Graph, eval search.Evaluator, equivalent bool) func(from, to int) (loss float64, ok bool) {
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
	return func(from, to int) (float64, bool) {
		loss, ok := losses[graph.Edge{From: from, To: to}]
		return loss, ok
	}
}
