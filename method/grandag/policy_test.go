package grandag

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// chain is a table of curves x0 → x1 → x2, as a method gets it.
func chain(t *testing.T, rows int, spec knowledge.Spec) *method.Input {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	x, names := matrix.New[float64](rows, 3), make([]string, 3)
	for i := range rows {
		for j := range 3 {
			v := rng.NormFloat64()
			if j > 0 {
				v = 0.4*v + 1.5*math.Cos(1.5*x.At(i, j-1))
			}
			x.Set(i, j, v)
		}
	}
	for j := range names {
		names[j] = fmt.Sprint("x", j)
	}
	m, err := dataset.FromRows(names, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	in := &method.Input{Moments: m, Seed: 1, Threads: 1, Rows: func(_ context.Context, each func([]float64) error) error { return each(x.Data) }}
	if !spec.Empty() {
		if in.Knowledge, err = spec.Resolve(names); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// TestTrainsWithoutCycles checks that networks are trained even if tiers exclude every cycle, so that h is 0
// from the start. Pruning removes the additional edges.
func TestTrainsWithoutCycles(t *testing.T) {
	m := New()
	m.Steps, m.Hidden, m.Rate = 3000, 5, 0.005
	in := chain(t, 300, knowledge.Spec{Tiers: [][]string{{"x0"}, {"x1"}, {"x2"}}})
	a, err := m.Learn(context.Background(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := a.Graph.Directed()
	if a.Continuous.Steps < 2*window || g.NumEdges() != 2 || !g.HasEdge(0, 1) || !g.HasEdge(1, 2) {
		t.Errorf("%d steps, %v", a.Continuous.Steps, g.Edges())
	}
	if !(a.Score < 3.5/3) { // a column of unit variance has 1.42
		t.Errorf("the loss of a column is %v", a.Score)
	}
}

// TestPreselection checks that candidates keep the weights of all other columns at zero.
func TestPreselection(t *testing.T) {
	m := New()
	m.Steps, m.Hidden, m.Preselect, m.Prune = 50, 3, 2, false
	a, err := m.Learn(context.Background(), chain(t, 300, knowledge.Spec{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if w := a.Continuous.W; w.At(0, 2) != 0 || w.At(0, 1) == 0 || w.At(1, 2) == 0 {
		t.Errorf("paths %v", w.Data)
	}
}
