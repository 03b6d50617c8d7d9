// Package curves has what methods share that learn curved effects in their own ways: the table under smooth effects, and the description of their
// answers under it.
package curves

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
)

// Table returns the table under smooth effects. The columns of its score are those of the input.
func Table(ctx context.Context, in *method.Input) (*scores.ScoredTable, error) {
	s := scores.Fixed(scores.Smooth)
	return s.Table(ctx, in)
}

// Describe describes the edges of an answer under smooth effects. If the context has ended or the rows are too few for
// curves, it leaves the answer unchanged, and least squares describes its edges.
func Describe(ctx context.Context, in *method.Input, a *method.Answer) {
	if ctx.Err() != nil {
		return
	}
	t, err := Table(ctx, in)
	if err != nil {
		if ctx.Err() == nil {
			a.Warnings = append(a.Warnings, fmt.Sprintf("effects are summarized as linear: %v", err))
		}
		return
	}
	DescribeBy(ctx, t, a)
}

// DescribeBy is Describe with a table of Table.
func DescribeBy(ctx context.Context, t *scores.ScoredTable, a *method.Answer) {
	own := a.Choices
	t.Describe(ctx, a, a.Graph.Directed())
	a.Choices = own // the model is fixed
}

// Candidates returns, for each column, the parents that greedy forward selection chooses while the score improves. Cycles are
// allowed, so these include its parents, its children and other parents of its children. Each choice costs d evaluations.
func Candidates(ctx context.Context, t *scores.ScoredTable) [][]int {
	out := make([][]int, len(t.Order))
	eval := t.Score.Evaluator()
	for v := range out {
		for now := eval.Score(v, nil); ctx.Err() == nil; {
			best, least := -1, now
			for u := range out {
				if u == v || slices.Contains(out[v], u) {
					continue
				}
				set := append(slices.Clone(out[v]), u)
				slices.Sort(set)
				if s := eval.Score(v, set); s < least {
					best, least = u, s
				}
			}
			if best < 0 {
				break
			}
			out[v] = append(out[v], best)
			slices.Sort(out[v])
			now = least
		}
	}
	return out
}

// Explain adds to an answer what scores.Describe says about its edges. The directions that settled reports are settled and the others open. If the
// context ends, the answer is canceled.
func Explain(ctx context.Context, in *method.Input, model scores.Model, a *method.Answer, settled func(graph.Edge) bool) (*method.Answer, error) {
	g := a.Graph.Directed()
	facts, err := scores.Describe(ctx, in, model, g)
	if err != nil {
		if ctx.Err() != nil {
			a.Cancel(ctx)
			err = nil
		}
		return a, err
	}
	if a.Effects, a.Edges, a.Nodes = facts.Effects, facts.Edges, facts.Nodes; a.Edges == nil {
		a.Edges = method.EdgeRecords(g)
	}
	for k, e := range a.Edges {
		if a.Edges[k].Direction = method.DirectionOpen; settled(e.Edge) {
			a.Edges[k].Direction = method.DirectionSettled
		}
	}
	return a, nil
}
