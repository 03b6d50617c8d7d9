package solve_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// TestAdamRetries checks that a repeated step has the same bits as a step with half the rate from the same
// state.
func TestAdamRetries(t *testing.T) {
	grads := [][]float64{{1, -2, 0.5}, {0.3, 0.1, -1}, {-1, -1, 2}}
	step := func(a *solve.Adam[float64], w *matrix.Dense[float64], k int) {
		a.Step(w, matrix.Of(1, 3, append([]float64(nil), grads[k]...)))
	}
	a, b := solve.NewAdam[float64](0.1), solve.NewAdam[float64](0.1)
	wa, wb := matrix.New[float64](1, 3), matrix.New[float64](1, 3)
	step(a, wa, 0)
	step(b, wb, 0)
	before := wa.Clone()
	step(a, wa, 1)
	wa.CopyFrom(before)
	a.Retry(wa, matrix.Of(1, 3, append([]float64(nil), grads[1]...)))
	wa.CopyFrom(before)
	a.Retry(wa, matrix.Of(1, 3, append([]float64(nil), grads[1]...)))
	b.Rate = 0.025
	step(b, wb, 1)
	if !reflect.DeepEqual(wa, wb) {
		t.Errorf("taken again twice: %v, a quarter of the rate gives %v", wa.Data, wb.Data)
	}
	step(a, wa, 2)
	step(b, wb, 2)
	if !reflect.DeepEqual(wa, wb) {
		t.Errorf("the step after: %v, want %v: the rate stays as it is and the moments have each gradient once", wa.Data, wb.Data)
	}
	a.Reset()
	b.Reset()
	b.Rate = 0.1
	step(a, wa, 0)
	step(b, wb, 0)
	if !reflect.DeepEqual(wa, wb) {
		t.Errorf("after Reset: %v, the full rate gives %v", wa.Data, wb.Data)
	}
}

// leaving returns a problem whose full steps leave the domain of log-det.
func leaving() (solve.Problem[float64], func() solve.Schedule) {
	p := solve.Problem[float64]{
		D: 5, Score: score.NewLeastSquares[float64](covariance(5, 4), 1), Constraint: &acyclic.LogDet[float64]{S: 1}, Penalty: solve.L1[float64]{Lambda: 0.02},
	}
	return p, func() solve.Schedule {
		return optimize.NewFalling(optimize.FallingSettings{First: 1, Factor: 0.1, Stages: 3, StageSteps: 40, LastSteps: 60, Every: 10, Tol: 1e-6})
	}
}

func TestLeavingTheDomainIsNotTheEnd(t *testing.T) {
	p, sched := leaving()
	const rate = 0.9
	res, err := solve.Run(context.Background(), p, sched(), solve.NewAdam[float64](rate), solve.Settings{Steps: 140}, nil)
	if !errors.Is(err, acyclic.ErrDomain) || res.Status != solve.Failed || res.Last.Rejected != 0 {
		t.Fatalf("without retries: %v; the test needs a step that leaves the domain", err)
	}
	if _, err := p.Constraint.Eval(nil, res.W); err != nil {
		t.Errorf("the result of a failed run is outside the domain: %v", err)
	}
	res, points := trail(t, p, sched(), solve.NewAdam[float64](rate), solve.Settings{Steps: 140, Retries: 20})
	last := points[len(points)-1]
	if last.Rejected == 0 || last != res.Last || res.Status != solve.Converged {
		t.Errorf("with retries: status %v, %d steps undone at the end", res.Status, last.Rejected)
	}
	if last.H > 0.05 || last.H >= points[1].H {
		t.Errorf("with retries: h went from %g to %g", points[1].H, last.H)
	}
	for i, s := range points {
		if s.Step != i {
			t.Fatalf("step %d is number %d: a step that was undone is no step", s.Step, i)
		}
		if i > 0 && s.Rejected < points[i-1].Rejected {
			t.Fatalf("step %d: the count of undone steps fell", i)
		}
	}
}

// stubborn repeats every step with the same length.
type stubborn struct{ retries int }

func (s *stubborn) Reset() {}
func (s *stubborn) Step(w, grad *matrix.Dense[float64]) {
	for i, g := range grad.Data {
		w.Data[i] -= g
	}
}
func (s *stubborn) Retry(w, grad *matrix.Dense[float64]) {
	s.retries++
	s.Step(w, grad)
}

func TestRetriesAreBounded(t *testing.T) {
	p := leastSquares(4, 2)
	p.Constraint = &limit{max: 0.3}
	desc := &stubborn{}
	res, err := solve.Run(context.Background(), p, solve.NewReleased(1, 5), desc, solve.Settings{Steps: 20, Retries: 3}, nil)
	if err == nil || !strings.Contains(err.Error(), "step 1 of 20: undone 3 times") || desc.retries != 3 {
		t.Errorf("%d retries, error %v", desc.retries, err)
	}
	if res == nil || res.Status != solve.Failed || !reflect.DeepEqual(res.W, matrix.New[float64](4, 4)) {
		t.Errorf("%+v, want the start", res)
	}
	// A descent that is not a Retrier fails at the first fault.
	once := struct{ solve.Descent[float64] }{desc}
	if _, err := solve.Run(context.Background(), p, solve.NewReleased(1, 5), once, solve.Settings{Steps: 20, Retries: 3}, nil); err == nil || strings.Contains(err.Error(), "undone") {
		t.Errorf("a descent that cannot take a step again: %v", err)
	}
}

// TestRetryStartsFromTheSamePoint checks that Retry gets the point and the gradient of the undone step.
func TestRetryStartsFromTheSamePoint(t *testing.T) {
	p := leastSquares(4, 2)
	p.Constraint = &limit{max: 0.3}
	desc := &witness{t: t}
	must.Get(solve.Run(context.Background(), p, fixed{0.5, 2}, desc, solve.Settings{Steps: 5, Retries: 30}, nil))
	if desc.retries == 0 {
		t.Error("no step was taken again")
	}
}

// witness is a gradient descent that halves its rate and compares the arguments of Retry with those of Step.
type witness struct {
	t       *testing.T
	rate    float64
	retries int
	w, grad *matrix.Dense[float64]
}

func (s *witness) Reset() {}
func (s *witness) Step(w, grad *matrix.Dense[float64]) {
	s.rate = 1
	s.w, s.grad = w.Clone(), grad.Clone()
	s.move(w, grad)
}
func (s *witness) Retry(w, grad *matrix.Dense[float64]) {
	s.retries++
	s.rate /= 2
	if !reflect.DeepEqual(w, s.w) || !reflect.DeepEqual(grad, s.grad) {
		s.t.Fatal("Retry did not get what Step got")
	}
	s.move(w, grad)
}
func (s *witness) move(w, grad *matrix.Dense[float64]) {
	for i, g := range grad.Data {
		w.Data[i] -= s.rate * g
	}
}
