package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
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

// Pruned returns g without the parents that the score does not pay for, the least worth first.
// Required edges stay.
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
