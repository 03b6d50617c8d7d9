package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
)

// Curves returns the table under smooth effects, for methods that find graphs of curved effects in other ways. The columns of its score are
// those of the input.
func Curves(ctx context.Context, in *method.Input) (*Table, error) {
	m := New()
	m.Model, m.Price.Adapt = Smooth, false
	return m.Table(ctx, in)
}

// DescribeCurves adds to an answer of another method what its edges are worth and what they do under smooth effects, and which directions the
// score settles. Where the context has ended, or the rows do not carry curves, the answer stays as it is: its edges are then described
// by least squares.
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
	own := a.Choices
	t.Describe(a, a.Graph.Directed())
	a.Choices = own // the model was nobody's choice
}

// Pruned returns g without the parents that the score does not pay for, the least worth first. Required edges stay.
func (t *Table) Pruned(ctx context.Context, g *graph.Graph) *graph.Graph {
	must := map[graph.Edge]bool{}
	if t.in.Knowledge != nil {
		for _, e := range t.in.Knowledge.Required() {
			must[e] = true
		}
	}
	out, eval := g.Clone(), t.Score.Evaluator()
	for v := range g.N() {
		for now := eval.Score(v, out.Parents(v)); ctx.Err() == nil; {
			worst, least := -1, now
			for i, p := range out.Parents(v) {
				if must[graph.Edge{From: p, To: v}] {
					continue
				}
				if s := eval.Score(v, slices.Delete(slices.Clone(out.Parents(v)), i, i+1)); s < least {
					worst, least = p, s
				}
			}
			if worst < 0 {
				break
			}
			out.RemoveEdge(worst, v)
			now = least
		}
	}
	return out
}
