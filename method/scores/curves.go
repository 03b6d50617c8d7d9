package scores

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag/method"
)

// Curves returns the table under smooth effects, for methods that learn curved effects in other ways. The columns of its score are
// those of the input.
func Curves(ctx context.Context, in *method.Input) (*ScoredTable, error) {
	s := Fixed(Smooth)
	return s.Table(ctx, in)
}

// DescribeCurves describes the edges of an answer under smooth effects. If the context has ended or the rows are too few for
// curves, it leaves the answer unchanged, and least squares describes its edges.
func DescribeCurves(ctx context.Context, in *method.Input, a *method.Answer) {
	if ctx.Err() != nil {
		return
	}
	t, err := Curves(ctx, in)
	if err != nil {
		if ctx.Err() == nil {
			a.Warnings = append(a.Warnings, fmt.Sprintf("effects are summarized as linear: %v", err))
		}
		return
	}
	t.DescribeCurves(ctx, a)
}

// DescribeCurves is DescribeCurves with a table of Curves.
func (t *ScoredTable) DescribeCurves(ctx context.Context, a *method.Answer) {
	own := a.Choices
	t.Describe(ctx, a, a.Graph.Directed())
	a.Choices = own // the model is fixed
}

// Candidates returns, for each column, the parents that greedy forward selection chooses while the score improves. Cycles are
// allowed, so these include its parents, its children and other parents of its children. Each choice costs d evaluations.
func (t *ScoredTable) Candidates(ctx context.Context) [][]int {
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
