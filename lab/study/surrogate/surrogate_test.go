package surrogate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// TestGradients compares the gradient of each network with differences of its values.
func TestGradients(t *testing.T) {
	const d = 5
	for _, kind := range []Kind{Entries, Walks} {
		rng := rand.New(rand.NewPCG(1, 2))
		w := matrix.New[float64](d, d)
		for i := range w.Data {
			w.Data[i] = rng.NormFloat64()
		}
		c := newConstraint(kind, d, newGraph(kind, d, true).start(rng))
		grad := matrix.New[float64](d, d)
		must.Get(c.Eval(grad, w))
		const eps = 1e-6
		for i := range w.Data {
			at := w.Data[i]
			w.Data[i] = at + eps
			up, _ := c.Eval(nil, w)
			w.Data[i] = at - eps
			down, _ := c.Eval(nil, w)
			w.Data[i] = at
			if want := (up - down) / (2 * eps); !(math.Abs(grad.Data[i]-want) <= 1e-4*(1+math.Abs(want))) {
				t.Errorf("%s: entry %d has gradient %v, want %v", kind, i, grad.Data[i], want)
			}
		}
	}
}

// TestTraining trains for a few hundred steps. The exact constraint must have no error at all, each network must come nearer to log h than
// before, and the one that sees longer cycles must know the direction of the gradient.
func TestTraining(t *testing.T) {
	run := func(steps int) (rows []Row) {
		s := Settings{Columns: []int{6}, Train: 2, Test: 1, Every: 20, Steps: steps, Batch: 8, Threads: 2}
		must.Succeed(t, Run(t.Context(), s, func(r Row) error { rows = append(rows, r); return nil }))
		return rows
	}
	before, after := run(1), run(250)
	for i, r := range after {
		if r.Constraint == "exact" {
			if !(r.LogError < 1e-9 && r.Cosine > 1-1e-9 && r.Cut == 0) {
				t.Errorf("the exact constraint differs from itself, or left cycles: %+v", r)
			}
			continue
		}
		if !(r.LogError < 0.7*before[i].LogError) {
			t.Errorf("%s: error %.2f after training, %.2f before", r.Constraint, r.LogError, before[i].LogError)
		}
	}
	if walks := after[2]; !(walks.Cosine > 0.4) {
		t.Errorf("the cosine of the gradients is %.2f", walks.Cosine)
	}
}

// TestWalksSeeLongCycles checks that a cycle of five columns changes the features of walks and not the trace of A².
func TestWalksSeeLongCycles(t *testing.T) {
	const d = 5
	g := newGraph(Walks, d, true)
	g.load(g.start(rand.New(rand.NewPCG(3, 4))))
	w := matrix.New[float64](d, d)
	for i := range d - 1 {
		w.Set(i, i+1, 1)
	}
	path, err := g.value(w)
	must.Succeed(t, err)
	w.Set(d-1, 0, 1)
	cycle := must.Get(g.value(w))
	if !(math.Abs(path-cycle) > 1e-3) {
		t.Errorf("a path has %v and a cycle %v", path, cycle)
	}
}
