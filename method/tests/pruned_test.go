package tests

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
)

// TestPruned checks that pruning keeps a parent with a nonlinear effect and a required one, and drops one
// without an effect.
func TestPruned(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	names, x := []string{"cause", "noise", "required", "effect"}, matrix.New[float64](400, 4)
	for i := range x.Rows {
		for j := range 3 {
			x.Set(i, j, rng.NormFloat64())
		}
		x.Set(i, 3, math.Cos(2*x.At(i, 0))+0.5*rng.NormFloat64())
	}
	in := inputtest.Known(t, inputtest.Of(t, names, x), knowledge.Spec{Require: []string{"required->effect"}})
	g := graph.FromParents([][]int{nil, nil, nil, {0, 1, 2}})
	out := must.Get(Pruned(t.Context(), in, g, 0.001))
	if out.NumEdges() != 2 || !out.HasEdge(0, 3) || !out.HasEdge(2, 3) || g.NumEdges() != 3 {
		t.Errorf("%v is left of %v", out.Edges(), g.Edges())
	}
}
