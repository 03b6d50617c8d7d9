package solve_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// beside is a distance that implements EvalBeside and counts the calls.
type beside struct {
	distance
	calls *atomic.Int32
	fault error
}

func (s beside) EvalBeside(grad, w *matrix.Dense[float32]) (float64, error) {
	s.calls.Add(1)
	if s.fault != nil {
		return 0, s.fault
	}
	return s.Eval(grad, w)
}

// costly is a constraint that reports the given number of products.
type costly struct {
	distance
	products int
}

func (c costly) Products(int) int { return c.products }

// broken is a constraint whose Eval always fails.
type broken struct{ fault error }

func (broken) Products(int) int { return 7 }

func (b broken) Eval(_, _ *matrix.Dense[float32]) (float64, error) { return 0, b.fault }

// TestScoreBesideTheConstraint checks that concurrent evaluation of score and constraint gives the same result
// as sequential evaluation. It must happen on two and three threads only, and only for an expensive constraint.
func TestScoreBesideTheConstraint(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const d = 20
	a, b := matrix.New[float32](d, d), matrix.New[float32](d, d)
	for i := range a.Data {
		a.Data[i], b.Data[i] = float32(i%7)-3, float32(i%5)-2
	}
	run := func(score solve.Score[float32], h solve.Constraint[float32], threads int) (*solve.Result[float32], error) {
		p := solve.Problem[float32]{D: d, Score: score, Constraint: h}
		return solve.Run(context.Background(), p, solve.NewReleased(0.5, 3), solve.NewAdam[float32](0.01), solve.Settings{Steps: 9, Threads: threads}, nil)
	}
	want := must.Get(run(distance{a}, distance{b}, 1))
	for threads, calls := range map[int]int32{0: 0, 1: 0, 2: 10, 3: 10, 4: 0} {
		var n atomic.Int32
		got, err := run(beside{distance{a}, &n, nil}, costly{distance{b}, 7}, threads)
		if err != nil || !slices.Equal(got.W.Data, want.W.Data) || n.Load() != calls {
			t.Errorf("%d threads: %d evaluations beside the constraint, want %d; same bytes: %t, %v", threads, n.Load(), calls,
				err == nil && slices.Equal(got.W.Data, want.W.Data), err)
		}
	}
	for _, h := range []solve.Constraint[float32]{distance{b}, costly{distance{b}, 1}} {
		var n atomic.Int32
		if _, err := run(beside{distance{a}, &n, nil}, h, 2); err != nil || n.Load() != 0 {
			t.Errorf("%T: %d evaluations beside it, %v", h, n.Load(), err)
		}
	}
	// An error of the score takes precedence over an error of the constraint.
	bad, worse := errors.New("score"), errors.New("constraint")
	var n atomic.Int32
	if _, err := run(beside{distance{a}, &n, bad}, broken{worse}, 2); !errors.Is(err, bad) {
		t.Error(err)
	}
	if _, err := run(beside{distance{a}, &n, nil}, broken{worse}, 2); !errors.Is(err, worse) {
		t.Error(err)
	}
}
