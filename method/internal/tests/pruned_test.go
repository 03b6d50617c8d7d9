package tests

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
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
	m, err := dataset.FromRows(names, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	in := &method.Input{Moments: m, Seed: 1, Threads: 1, Rows: func(_ context.Context, each func([]float64) error) error { return each(x.Data) }}
	if in.Knowledge, err = (knowledge.Spec{Require: []string{"required->effect"}}).Resolve(names); err != nil {
		t.Fatal(err)
	}
	g := graph.FromParents([][]int{nil, nil, nil, {0, 1, 2}})
	out, err := Pruned(t.Context(), in, g, 0.001)
	if err != nil {
		t.Fatal(err)
	}
	if out.NumEdges() != 2 || !out.HasEdge(0, 3) || !out.HasEdge(2, 3) || g.NumEdges() != 3 {
		t.Errorf("%v is left of %v", out.Edges(), g.Edges())
	}
}
