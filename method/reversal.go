package method

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/search"
)

// weakLoss is the largest score gain of a weak edge (ΔBIC).
const weakLoss = 10

// Reversals returns EdgeFacts.Reversal by edge for a DAG under a local score. If the score is score-equivalent, only edges that
// are directed in the equivalence class, or by known together with the class, are evaluated. The loss of an edge whose direction
// depends on a weak edge is then at most the gain of the weak edge. Edges from inputs, which nothing can affect, have no loss; nil stands
// for no inputs. It returns nil if the losses cannot be evaluated or ctx ends. More evaluators of the same score share the work.
func Reversals(ctx context.Context, g *graph.Graph, eval search.Evaluator, equivalent bool, known search.Knowledge, inputs []bool, more ...search.Evaluator) map[graph.Edge]float64 {
	possible := func(e graph.Edge) bool { return inputs == nil || !inputs[e.From] }
	if !equivalent {
		losses, err := search.Reversals(ctx, g, eval, possible, more...)
		if err != nil {
			return nil
		}
		return losses
	}
	class, err := graph.CPDAG(g)
	if err != nil {
		return nil
	}
	losses, err := search.Reversals(ctx, g, eval, func(e graph.Edge) bool { return possible(e) && class.HasDirected(e.From, e.To) }, more...)
	if err != nil {
		return nil
	}
	if known.Forbidden != nil {
		if class, err = withKnown(class, known); err != nil {
			return nil
		}
		derived, err := search.Reversals(ctx, g, allowed{eval, known}, func(e graph.Edge) bool {
			_, done := losses[e]
			return !done && possible(e) && class.HasDirected(e.From, e.To)
		})
		if err != nil {
			return nil
		}
		maps.Copy(losses, derived)
	}
	boundByWeak(losses, g, eval, class, known)
	return losses
}

// withKnown directs the undirected edges of a class of which one direction is forbidden, and those that follow.
func withKnown(class *graph.PDAG, known search.Knowledge) (*graph.PDAG, error) {
	if known.Forbidden == nil {
		return class, nil
	}
	var directed []graph.Edge
	for _, e := range class.UndirectedEdges() {
		switch {
		case known.Forbidden(e.To, e.From):
			directed = append(directed, e)
		case known.Forbidden(e.From, e.To):
			directed = append(directed, graph.Edge{From: e.To, To: e.From})
		}
	}
	return class.WithKnowledge(directed)
}

// allowed is a local score that is +Inf for parents that prior knowledge excludes.
type allowed struct {
	search.Evaluator
	known search.Knowledge
}

func (a allowed) Score(v int, parents []int) float64 {
	if slices.ContainsFunc(parents, func(p int) bool { return a.known.Forbidden(p, v) }) ||
		slices.ContainsFunc(a.known.Required, func(e [2]int) bool { return e[1] == v && !slices.Contains(parents, e[0]) }) {
		return math.Inf(1)
	}
	return a.Evaluator.Score(v, parents)
}

// boundByWeak lowers the loss of each edge that is undirected in the class of g without one other edge to the loss of removing that
// edge. class is that of g, with what is known.
func boundByWeak(losses map[graph.Edge]float64, g *graph.Graph, eval search.Evaluator, class *graph.PDAG, known search.Knowledge) {
	without := g.Clone()
	for _, weak := range g.Edges() {
		if !class.HasDirected(weak.From, weak.To) { // an undirected edge decides no other direction
			continue
		}
		parents := g.Parents(weak.To)
		rest := slices.DeleteFunc(slices.Clone(parents), func(p int) bool { return p == weak.From })
		loss := max(0, eval.Score(weak.To, rest)-eval.Score(weak.To, parents))
		if !(loss < weakLoss) {
			continue
		}
		without.RemoveEdge(weak.From, weak.To)
		left, err := graph.CPDAG(without)
		if err == nil {
			left, err = withKnown(left, known)
		}
		if err == nil {
			for e, was := range losses {
				if e != weak && was > loss && !left.HasDirected(e.From, e.To) {
					losses[e] = loss
				}
			}
		}
		without.AddEdge(weak.From, weak.To)
	}
}
