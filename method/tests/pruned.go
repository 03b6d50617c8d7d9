package tests

import (
	"context"
	"errors"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/method"
)

// Pruned returns g without the parents that add nothing to smooth functions of the other parents, each tested
// at the given level. This is the pruning of CAM (Bühlmann, Peters and Ernest 2014), with curves of ranks
// instead of splines. It keeps required edges, and the parents of a column with too many of them for the rows.
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
