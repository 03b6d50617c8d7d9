package solve_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// The tests in this file check the guarantees of Run for any schedule and descent. kit.Solver checks those two.

// descents returns each descent by name, Adam with a rate and OWLQN with a tolerance.
func descents(rate, tol float64) map[string]func() solve.Descent[float64] {
	return map[string]func() solve.Descent[float64]{
		"Adam":  func() solve.Descent[float64] { return solve.NewAdam[float64](rate) },
		"OWLQN": func() solve.Descent[float64] { return optimize.NewOWLQN[float64](tol) },
	}
}

// leastSquares returns a problem of d columns with the paper's score, constraint and penalty.
func leastSquares(d int, seed uint64) solve.Problem[float64] {
	return solve.Problem[float64]{
		D: d, Score: score.NewLeastSquares[float64](covariance(d, seed), 1),
		Constraint: &acyclic.Geometric[float64]{}, Penalty: solve.L1[float64]{Lambda: 0.05},
	}
}

func TestRunKeepsZeros(t *testing.T) {
	const d = 5
	p := leastSquares(d, 3)
	p.Start = matrix.New[float64](d, d)
	for i := range p.Start.Data {
		p.Start.Data[i] = 0.1
	}
	before := p.Start.Clone()
	p.Forbidden = make([]bool, d*d)
	p.Forbidden[1], p.Forbidden[d+3] = true, true
	for name, desc := range descents(0.01, 0) {
		seen := 0
		res := must.Get(solve.Run(context.Background(), p, solve.NewReleased(1, 20), desc(), solve.Settings{Steps: 50}, func(s solve.Step) {
			if s.Step != seen {
				t.Errorf("%s: the observer saw step %d as number %d", name, s.Step, seen)
			}
			seen++
		}))
		if seen != 51 {
			t.Errorf("%s: %d points observed of 50 steps, want 51", name, seen)
		}
		if !reflect.DeepEqual(p.Start, before) {
			t.Fatalf("%s: the start was changed", name)
		}
		others := 0
		for i, v := range res.W.Data {
			if no := p.Forbidden[i] || i%(d+1) == 0; no && v != 0 {
				t.Errorf("%s: entry %d is %v, want 0", name, i, v)
			} else if !no && v != 0 {
				others++
			}
		}
		if others < d {
			t.Errorf("%s: only %d entries have moved: the test shows nothing", name, others)
		}
	}
}

func TestRunCancels(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	res, err := solve.Run(ctx, leastSquares(4, 1), solve.NewReleased(1, 20), solve.NewAdam[float64](0.01), solve.Settings{Steps: 50}, func(s solve.Step) {
		if s.Step == 7 {
			cancel(why)
		}
	})
	if err != nil || res.Status != solve.Canceled || !errors.Is(res.Cause, why) || res.Last.Step != 7 || !res.W.Finite() {
		t.Errorf("error %v, result %+v", err, res)
	}
}

func TestRunRefuses(t *testing.T) {
	run := func(change func(*solve.Problem[float64], *solve.Settings)) error {
		p, s := leastSquares(3, 1), solve.Settings{Steps: 2}
		change(&p, &s)
		_, err := solve.Run(context.Background(), p, solve.NewReleased(1, 20), solve.NewAdam[float64](0.01), s, nil)
		return err
	}
	for says, change := range map[string]func(*solve.Problem[float64], *solve.Settings){
		"Steps = 0":                       func(p *solve.Problem[float64], s *solve.Settings) { s.Steps = 0 },
		"Retries = -1":                    func(p *solve.Problem[float64], s *solve.Settings) { s.Retries = -1 },
		"Forbidden has 4 entries, want 9": func(p *solve.Problem[float64], s *solve.Settings) { p.Forbidden = make([]bool, 4) },
		"Start is 3×2, want 3×3":          func(p *solve.Problem[float64], s *solve.Settings) { p.Start = matrix.New[float64](3, 2) },
		"at the start": func(p *solve.Problem[float64], s *solve.Settings) {
			p.Constraint = &limit{max: -1}
		},
	} {
		if err := run(change); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want an error with %q", err, says)
		}
	}
	if err := run(func(*solve.Problem[float64], *solve.Settings) {}); err != nil {
		t.Error(err)
	}
}

// trail returns the result and all observed steps of a run.
func trail(t *testing.T, p solve.Problem[float64], sched solve.Schedule, desc solve.Descent[float64], s solve.Settings) (*solve.Result[float64], []solve.Step) {
	t.Helper()
	var steps []solve.Step
	res := must.Get(solve.Run(context.Background(), p, sched, desc, s, func(st solve.Step) { steps = append(steps, st) }))
	return res, steps
}

// TestWithoutConstraint checks that a problem without a constraint gives the same bytes as one with h = 0
// everywhere.
func TestWithoutConstraint(t *testing.T) {
	p := leastSquares(5, 2)
	p.Constraint = &limit{max: math.Inf(1)}
	want, wantTrail := trail(t, p, solve.Constant{Weight: 3}, solve.NewAdam[float64](0.02), solve.Settings{Steps: 60})
	p.Constraint = nil
	got, gotTrail := trail(t, p, solve.Constant{Weight: 3}, solve.NewAdam[float64](0.02), solve.Settings{Steps: 60})
	if !reflect.DeepEqual(got, want) || !slices.Equal(gotTrail, wantTrail) {
		t.Errorf("%+v, want %+v", got.Last, want.Last)
	}
	if got.Status != solve.Completed || got.W.Data[1] == 0 {
		t.Errorf("status %v, W %v", got.Status, got.W.Data)
	}
}

// scaled is c times a score.
type scaled struct {
	solve.Score[float64]
	c float64
}

func (s scaled) Eval(grad, w *matrix.Dense[float64]) (float64, error) {
	f, err := s.Score.Eval(grad, w)
	if grad != nil {
		for i := range grad.Data {
			grad.Data[i] *= s.c
		}
	}
	return s.c * f, err
}

// fixed is a schedule with constant weights of score and constraint.
type fixed struct{ score, h float64 }

func (f fixed) Next(solve.Point) solve.Move { return solve.Move{ScoreWeight: f.score, HWeight: f.h} }
func (f fixed) AtLimit() solve.Status       { return solve.Completed }

// TestScoreWeight checks that a score weight of ¼, which is exact in binary, equals dividing score and penalty
// by four.
func TestScoreWeight(t *testing.T) {
	for name, desc := range descents(0.02, 0) {
		p := leastSquares(5, 2)
		got, points := trail(t, p, fixed{0.25, 2}, desc(), solve.Settings{Steps: 30})
		small := p
		small.Score, small.Penalty = scaled{p.Score, 0.25}, solve.L1[float64]{Lambda: 0.05 / 4}
		want, _ := trail(t, small, fixed{1, 2}, desc(), solve.Settings{Steps: 30})
		if !reflect.DeepEqual(got.W, want.W) {
			t.Errorf("%s: the weight of the score is not a factor of it", name)
		}
		plain, _ := trail(t, p, fixed{1, 2}, desc(), solve.Settings{Steps: 30})
		if reflect.DeepEqual(got.W, plain.W) {
			t.Errorf("%s: the weight of the score has no effect", name)
		}
		if f, _ := p.Score.Eval(nil, matrix.New[float64](5, 5)); points[0].Score != f {
			t.Errorf("%s: the point has score %v, want it without its weight: %v", name, points[0].Score, f)
		}
	}
}
