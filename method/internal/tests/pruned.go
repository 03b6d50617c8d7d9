package tests

import (
	"context"
	"errors"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/method"
)

// Pruned returns g without the parents that add nothing to the curves of the other parents of a column, each tested at this level: the pruning
// of CAM (Bühlmann, Peters and Ernest 2014), with cosines of ranks in place of splines. Required edges stay, and so do those of a column
// with too many parents for the rows.
func Pruned(ctx context.Context, in *method.Input, g *graph.Graph, level float64) (*graph.Graph, error) {
	test, err := newSmooth(ctx, in)
	if err != nil {
		return nil, err
	}
	out := g.Clone()
	must := in.Required()
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
