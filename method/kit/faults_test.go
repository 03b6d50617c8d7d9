package kit_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/search"
	"github.com/polydag/polydag/solve"
)

// TestConstraintAtLargeWeights checks which values at large weights are accepted: +Inf with an error, or, with Large, a finite value with a
// finite gradient and no error.
func TestConstraintAtLargeWeights(t *testing.T) {
	fault := errors.New("too large")
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		h, gradient float64
		err         error
		large, ok   bool
	}{
		{5, 0, nil, true, true}, {5, 0, nil, false, false}, {5, inf, nil, true, false}, {5, nan, nil, true, false},
		{5, 0, fault, true, false}, {5, 0, fault, false, false}, {inf, 0, nil, true, false}, {nan, 0, nil, true, false},
		{inf, 0, fault, true, true}, {inf, 0, fault, false, true}, {math.Inf(-1), 0, fault, true, false}, {math.Inf(-1), 0, fault, false, false},
	} {
		at := function[float64](func(grad, w *matrix.Dense[float64]) (float64, error) {
			h, err := goodConstraint(grad, w)
			if math.Abs(w.Data[0]) < 1e100 {
				return h, err
			}
			if grad != nil {
				for i := range grad.Data {
					grad.Data[i] = c.gradient
				}
			}
			return c.h, c.err
		})
		err := kit.ConstraintWith(at, kit.ConstraintSettings{D: 4, Seed: 1, Large: c.large, ZeroTol: 1e-12})
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "overflow: ") {
			t.Errorf("h = %v with the gradient %v and error %v, Large %v: %v, want it accepted: %v", c.h, c.gradient, c.err, c.large, err, c.ok)
		}
	}
}

// TestLooplessGradient checks that a wrong entry off the diagonal is a fault with and without Loopless, and a wrong entry on the diagonal
// only without.
func TestLooplessGradient(t *testing.T) {
	for _, loopless := range []bool{false, true} {
		for _, diagonal := range []bool{false, true} {
			wrong := function[float64](func(grad, w *matrix.Dense[float64]) (float64, error) {
				h, err := goodConstraint(grad, w)
				if grad != nil {
					for i := range grad.Rows {
						for j := range grad.Cols {
							if (i == j) == diagonal {
								grad.Set(i, j, grad.At(i, j)*1.5)
							}
						}
					}
				}
				return h, err
			})
			err := kit.ConstraintWith(wrong, kit.ConstraintSettings{D: 4, Seed: 1, Loopless: loopless, ZeroTol: 1e-12})
			if caught := err != nil && strings.Contains(err.Error(), "gradient: "); caught != (!diagonal || !loopless) {
				t.Errorf("loopless %v, wrong on the diagonal %v: %v", loopless, diagonal, err)
			}
		}
	}
}

// TestBoundedScore checks that a score that stays finite at the largest weights passes, and that one with another value there does not.
func TestBoundedScore(t *testing.T) {
	fault := errors.New("too large")
	for _, c := range []struct {
		value float64 // at large weights; 0 for the bounded one
		err   error
		ok    bool
	}{{0, nil, true}, {0, fault, false}, {math.Inf(1), fault, true}, {math.Inf(1), nil, false}, {math.Inf(-1), fault, false}, {math.NaN(), fault, false}, {math.NaN(), nil, false}} {
		bounded := function[float64](func(grad, w *matrix.Dense[float64]) (float64, error) {
			f, far := 0.0, false
			for i, v := range w.Data {
				f += math.Atan(v)
				far = far || math.Abs(v) > 1e100
				if grad != nil {
					grad.Data[i] = 1 / (1 + v*v)
				}
			}
			if far {
				return f + c.value, c.err
			}
			return f, nil
		})
		if err := kit.Score(bounded, 4, 1); (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "overflow: ") {
			t.Errorf("%v more with the error %v at large weights: %v, want it accepted: %v", c.value, c.err, err, c.ok)
		}
	}
}

// TestIndependenceRange checks that each number outside its range is a fault, and so is an error of the other direction or order.
func TestIndependenceRange(t *testing.T) {
	fault := errors.New("only this way")
	for want, change := range map[string]func(x, y int, given []int, r *independence.Result) error{
		"range, p below 0":             func(_, _ int, _ []int, r *independence.Result) error { r.P = -0.1; return nil },
		"range, p above 1":             func(_, _ int, _ []int, r *independence.Result) error { r.P = 1.1; return nil },
		"range, a negative statistic":  func(_, _ int, _ []int, r *independence.Result) error { r.Statistic = -1; return nil },
		"range, an infinite statistic": func(_, _ int, _ []int, r *independence.Result) error { r.Statistic = math.Inf(1); return nil },
		"range, negative degrees":      func(_, _ int, _ []int, r *independence.Result) error { r.DF = -1; return nil },
		"symmetry, an error": func(x, y int, _ []int, _ *independence.Result) error {
			if x > y {
				return fault
			}
			return nil
		},
		"order, an error": func(_, _ int, given []int, _ *independence.Result) error {
			if len(given) > 1 && given[0] > given[1] {
				return fault
			}
			return nil
		},
	} {
		law, _, _ := strings.Cut(want, ",")
		err := kit.Independence(broken{oracle(t), func(x, y int, given []int, r independence.Result, err error) (independence.Result, error) {
			if err != nil {
				return r, err
			}
			return r, change(x, y, given, &r)
		}}, 1)
		if err == nil || !strings.Contains(err.Error(), law+": ") {
			t.Errorf("%s: %v, want a fault of %q", want, err, law)
		}
	}
	// p = 0, p = 1 and a statistic of 0 are within the range.
	for _, r := range []independence.Result{{P: 0, Statistic: 0, DF: 0}, {P: 1, Statistic: 3, DF: 1}} {
		err := kit.Independence(broken{oracle(t), func(_, _ int, _ []int, _ independence.Result, err error) (independence.Result, error) {
			if err != nil {
				return independence.Result{}, err
			}
			return r, nil
		}}, 1)
		if err != nil {
			t.Errorf("%+v: %v, want no fault", r, err)
		}
	}
}

// TestZeroOnDAGs checks that a constraint that grows with every weight is caught on a DAG. It has the right gradient and all symmetries.
func TestZeroOnDAGs(t *testing.T) {
	grows := function[float64](func(grad, w *matrix.Dense[float64]) (float64, error) {
		h, err := goodConstraint(grad, w)
		for i := range w.Rows {
			for j, v := range w.Row(i) {
				h += 1e-3 * v * v
				if grad != nil {
					grad.Set(i, j, grad.At(i, j)+2e-3*v)
				}
			}
		}
		if math.IsInf(h, 0) || err != nil {
			return math.Inf(1), errors.New("too large")
		}
		return h, nil
	})
	if err := kit.Constraint(grows, 4, 1); err == nil || !strings.Contains(err.Error(), "zero on DAGs: ") || strings.Contains(err.Error(), "symmetries") || strings.Contains(err.Error(), "gradient") {
		t.Errorf("%v, want only a fault on DAGs", err)
	}
}

// TestCalibratedLimit checks both sides of the limit of 1.95/√n on the distance from uniform p-values, 0.0195 for 10,000 of them, in both
// directions. The p-values are spaced evenly, half a step from the ends, and moved.
func TestCalibratedLimit(t *testing.T) {
	const draws = 10_000
	for moved, ok := range map[float64]bool{0: true, 0.0194: true, -0.0194: true, 0.0195: false, -0.0195: false, 0.021: false, -0.021: false} {
		i := 0
		err := kit.Calibrated(func(*rand.Rand) (independence.Result, error) {
			i++
			return independence.Result{P: (float64(i)-0.5)/draws + moved}, nil
		}, 1)
		if (err == nil) != ok {
			t.Errorf("p-values moved by %v: %v, want them accepted: %v", moved, err, ok)
		}
	}
}

// TestLaterError checks that a test of independence that answers a question at first and fails later is not repeatable.
func TestLaterError(t *testing.T) {
	calls := 0
	err := kit.Independence(broken{oracle(t), func(_, _ int, _ []int, r independence.Result, err error) (independence.Result, error) {
		if calls++; calls > 150 && err == nil {
			err = errors.New("no longer")
		}
		return r, err
	}}, 1)
	if err == nil || !strings.Contains(err.Error(), "repeatable: ") {
		t.Errorf("%v, want a fault of \"repeatable\"", err)
	}
}

// stepLimited is a schedule that does not complete.
type stepLimited struct{ plain }

func (s *stepLimited) AtLimit() solve.Status { return solve.StepLimit }

// TestStatusAtTheLimit checks that both statuses at the limit of steps are accepted.
func TestStatusAtTheLimit(t *testing.T) {
	if err := kit.Solver(func() (solve.Schedule, solve.Descent[float64]) { return &stepLimited{}, &momentum{} }, 1); err != nil {
		t.Error(err)
	}
}

// costly is a score with a cost.
type costly struct {
	search.Score
	cost float64
}

func (c costly) Cost() float64 { return c.cost }

// TestConstantsOfAScore checks that a cost is positive and finite, and that neither the price nor the equivalence changes.
func TestConstantsOfAScore(t *testing.T) {
	for cost, ok := range map[float64]bool{1: true, 1e9: true, 0: false, -1: false, math.Inf(1): false, math.NaN(): false} {
		err := kit.LocalScore(costly{localGaussian(t), cost}, kit.LocalScoreSettings{}, 1)
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "cost: ") {
			t.Errorf("cost %v: %v, want it accepted: %v", cost, err, ok)
		}
	}
	calls := 0
	changes := brokenScore{Score: localGaussian(t), equivalent: func() bool { calls++; return calls%2 == 1 }}
	if err := kit.LocalScore(changes, kit.LocalScoreSettings{}, 1); err == nil || !strings.Contains(err.Error(), "constant: ") {
		t.Errorf("%v, want a fault of an equivalence that changes", err)
	}
}
