package solve_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// answering is a local Evaluator that counts its calls and fails from call number fail on.
type answering struct {
	p      solve.Problem[float64]
	n      int
	fail   int // 0 means never
	failed error
}

func (c *answering) Values(grad, gradH, w *matrix.Dense[float64]) (score, h float64, err error) {
	if c.n++; c.fail > 0 && c.n >= c.fail {
		return 0, 0, c.failed
	}
	if score, err = c.p.Score.Eval(grad, w); err == nil && gradH != nil {
		h, err = c.p.Constraint.Eval(gradH, w)
	}
	return score, h, err
}

// TestRunBy checks that an Evaluator with the same arithmetic gives the bytes of Run, with and without a
// constraint, and that a failing one ends the run.
func TestRunBy(t *testing.T) {
	bare := problem(8)
	bare.Constraint = nil
	for name, p := range map[string]solve.Problem[float64]{"constrained": problem(8), "bare": bare} {
		run := func(e solve.Evaluator[float64]) (*solve.Result[float64], error) {
			return solve.RunBy(context.Background(), e, p, optimize.NewSettling(2, 1, 0), optimize.NewOWLQN[float64](1e-9), solve.Settings{Steps: 15}, nil)
		}
		want, err := run(nil)
		must.Succeed(t, err)
		e := &answering{p: p}
		got, err := run(e)
		if err != nil || !slices.Equal(got.W.Data, want.W.Data) || got.Last != want.Last || e.n < got.Last.Step {
			t.Errorf("%s: %v after %d evaluations, %+v, want %+v", name, err, e.n, got.Last, want.Last)
		}
		e = &answering{p: p, fail: 4, failed: errors.New("nobody answers")}
		if got, err := run(e); !errors.Is(err, e.failed) || got.Status != solve.Failed {
			t.Errorf("%s: %v, %v", name, got.Status, err)
		}
	}
}
