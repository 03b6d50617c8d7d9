package device_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/kit"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// there is a score or a constraint whose values come from a device, with a session for each size of W.
type there[T matrix.Float] struct {
	t          *testing.T
	on         *device.Device
	score      solve.Score[T]
	constraint func() solve.Constraint[T]
	sessions   map[int]solve.Evaluator[T]
	done       []func() error
}

func (f *there[T]) session(d int) solve.Evaluator[T] {
	if f.sessions[d] != nil {
		return f.sessions[d]
	}
	p := solve.Problem[T]{D: d, Score: f.score}
	if f.constraint != nil {
		p.Score, p.Constraint = score.NewLeastSquares[T](matrix.New[float64](d, d), 1), f.constraint()
	}
	e, done, err := device.ValuesOf(f.on, p)
	if err != nil {
		f.t.Fatal(err)
	}
	f.sessions[d], f.done = e, append(f.done, done)
	return e
}

// close ends the sessions: a device has no more than some at once.
func (f *there[T]) close() {
	for _, done := range f.done {
		if err := done(); err != nil {
			f.t.Error(err)
		}
	}
}

func (f *there[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	d := w.Rows
	at, first, second := matrix.New[T](d, d), matrix.New[T](d, d), matrix.New[T](d, d)
	at.CopyFrom(w)
	if f.constraint == nil {
		second = nil
	}
	value, h, err := f.session(d).Values(first, second, at)
	if err != nil {
		return math.Inf(1), err
	}
	if f.constraint != nil {
		value, first = h, second
	}
	if value-value != 0 {
		return math.Inf(1), fmt.Errorf("the value is %v", value)
	}
	if grad != nil {
		grad.CopyFrom(first)
	}
	return value, nil
}

// lawful holds what a device evaluates to the laws of constraints and scores.
func lawful[T matrix.Float](t *testing.T, on *device.Device, d int, zero float64) {
	t.Helper()
	for name, make := range map[string]func() solve.Constraint[T]{
		"geometric":   func() solve.Constraint[T] { return &acyclic.Geometric[T]{K: 16} },
		"poly":        func() solve.Constraint[T] { return &acyclic.Poly[T]{} },
		"exponential": func() solve.Constraint[T] { return &acyclic.Exp[T]{} },
		"binomial":    func() solve.Constraint[T] { return &acyclic.Binomial[T]{} },
		"truncated":   func() solve.Constraint[T] { return &acyclic.Truncated[T]{} },
	} {
		h := &there[T]{t: t, on: on, constraint: make, sessions: map[int]solve.Evaluator[T]{}}
		// the kernels leave the identity out of ∂h/∂(W∘W) where the diagonal of W, which is zero, multiplies it
		if err := kit.ConstraintWith[T](h, kit.ConstraintOptions{D: d, Seed: 1, ZeroTol: zero, Loopless: true}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		h.close()
	}
	s := &there[T]{t: t, on: on, score: score.NewLeastSquares[T](table(t, d).Covariance(), 1), sessions: map[int]solve.Evaluator[T]{}}
	if err := kit.Score[T](s, d, 1); err != nil {
		t.Errorf("least squares: %v", err)
	}
	s.close()
}

func TestCardKeepsTheLaws(t *testing.T) {
	on := card(t)
	for _, d := range []int{3, 6} {
		lawful[float64](t, on, d, 1e-13)
		lawful[float32](t, on, d, 1e-5)
	}
}

func TestEmulatorKeepsTheLaws(t *testing.T) {
	t.Run("double", func(t *testing.T) { t.Parallel(); lawful[float64](t, emulated(t, nil), 3, 1e-14) })
	t.Run("single", func(t *testing.T) { t.Parallel(); lawful[float32](t, emulated(t, nil), 3, 1e-6) })
}
