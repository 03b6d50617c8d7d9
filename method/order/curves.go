package order

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/method"
)

// Curves returns the table under smooth effects, for methods that find graphs of curved effects in
// other ways. The columns of its score are those of the input.
func Curves(ctx context.Context, in *method.Input) (*Table, error) {
	m := New()
	m.Model, m.Price.Adapt = Smooth, false
	return m.Table(ctx, in)
}

// DescribeCurves adds to an answer of another method what its edges are worth and what they do
// under smooth effects, and which directions the score settles. Where the context has ended, or the
// rows do not carry curves, the answer stays as it is: its edges are then described by least
// squares.
func DescribeCurves(ctx context.Context, in *method.Input, a *method.Answer) {
	if ctx.Err() != nil {
		return
	}
	t, err := Curves(ctx, in)
	if err != nil {
		if ctx.Err() == nil {
			a.Warnings = append(a.Warnings, fmt.Sprintf("effects are described as straight lines: %v", err))
		}
		return
	}
	t.DescribeCurves(a)
}

// DescribeCurves is DescribeCurves with a table that Curves has made.
func (t *Table) DescribeCurves(a *method.Answer) {
	own := a.Choices
	t.Describe(a, a.Graph.Directed())
	a.Choices = own // the model was nobody's choice
}

// Pruned returns g without the parents that add nothing to the curves of the other parents of a column, by a test of each at this level, all
// at once: the pruning of CAM (Bühlmann, Peters and Ernest 2014), with cosines of ranks for its splines. Required edges stay, and so
// do those of a column that has too many parents for the rows.
func Pruned(ctx context.Context, in *method.Input, g *graph.Graph, level float64) (*graph.Graph, error) {
	test, err := newSmoothTest(ctx, in)
	if err != nil {
		return nil, err
	}
	out := g.Clone()
	must := Required(in)
	for v := range g.N() {
		parents := g.Parents(v)
		for i, p := range parents {
			if slices.Contains(must, graph.Edge{From: p, To: v}) {
				continue
			}
			r, err := test.Explains(p, v, slices.Delete(slices.Clone(parents), i, i+1))
			switch {
			case errors.Is(err, independence.ErrRows):
			case err != nil:
				return nil, err
			case r.P >= level:
				out.RemoveEdge(p, v)
			}
		}
	}
	return out, nil
}

// Candidates returns for each column the columns that explain it together with those chosen before,
// the best first, while the score pays for them, whatever the cycles: its parents, its children and
// what they share. It costs d evaluations for each that is chosen.
func (t *Table) Candidates(ctx context.Context) [][]int {
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
