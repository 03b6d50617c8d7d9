package solve

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/matrix"
)

// Run descends until the schedule is done, the steps run out, the context ends, or a value is not finite and no
// shorter step helps. It always returns the last finite point. The error is not nil only for invalid settings
// and for Failed, and then names the step and the cause. A step costs one evaluation of score and constraint
// with gradients, and O(D²); an undone step costs two more evaluations. observe may be nil.
func Run[T matrix.Float](ctx context.Context, p Problem[T], sched Schedule, desc Descent[T], s Settings, observe Observer) (*Result[T], error) {
	return RunBy(ctx, nil, p, sched, desc, s, observe)
}

// RunBy is Run with score and constraint computed by e, or locally if e is nil. Each function can resume a
// state of the other.
func RunBy[T matrix.Float](ctx context.Context, e Evaluator[T], p Problem[T], sched Schedule, desc Descent[T], s Settings, observe Observer) (*Result[T], error) {
	var out any
	var err error
	switch p := any(p).(type) {
	case Problem[float32]:
		e, _ := any(e).(Evaluator[float32])
		desc, _ := any(desc).(Descent[float32])
		out, err = runBy32(ctx, e, p, sched, desc, s, observe)
	case Problem[float64]:
		e, _ := any(e).(Evaluator[float64])
		desc, _ := any(desc).(Descent[float64])
		out, err = runBy64(ctx, e, p, sched, desc, s, observe)
	}
	return out.(*Result[T]), err
}

// Variables, so that only this package compiles the solver and not every package that calls it.
var (
	runBy32, runBy64 = runBy[float32], runBy[float64]
	runOn32, runOn64 = runOn[float32], runOn[float64]
)

func runBy[T matrix.Float](ctx context.Context, e Evaluator[T], p Problem[T], sched Schedule, desc Descent[T], s Settings, observe Observer) (*Result[T], error) {
	r, at, err := begin(p, sched, desc, s)
	if err != nil {
		return nil, err
	}
	r.away = e
	return r.descend(ctx, sched, s, observe, at, s.Steps)
}

// begin returns a runner at the start of a run, or at the state in s.Resume.
func begin[T matrix.Float](p Problem[T], sched Schedule, desc Descent[T], s Settings) (*runner[T], *place, error) {
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	r, err := newRunner(p, desc)
	if err != nil {
		return nil, nil, err
	}
	r.threads = s.Threads
	at := &place{answered: s.Resume != nil}
	if at.answered {
		at.last, err = r.resume(s, sched)
	}
	return r, at, err
}

// place is the position of a run: its last step, and whether the schedule has already answered for this point.
type place struct {
	last     Step
	answered bool
}

// descend takes steps and returns the result if the run ends. Otherwise it returns after it evaluated the point
// of step until and called the schedule for it.
func (r *runner[T]) descend(ctx context.Context, sched Schedule, s Settings, observe Observer, at *place, until int) (*Result[T], error) {
	first := at.last.Step
	for step := first; ; step++ {
		pt, err := r.evaluate(step)
		if err != nil && step > first {
			pt, err = r.retry(step, s.Retries, at.last.Move, err)
		}
		if err != nil {
			if step == first {
				return nil, fmt.Errorf("at the start: %w", err)
			}
			err = fmt.Errorf("step %d of %d: %w", step, s.Steps, err)
			return r.result(r.prev, Failed, err, at.last), err
		}
		if at.answered {
			at.answered = false
			if err := at.last.same(pt); err != nil {
				return nil, err
			}
		} else {
			at.last = Step{pt, sched.Next(pt)}
			if observe != nil {
				observe(at.last)
			}
		}
		switch {
		case at.last.Done:
			return r.result(r.w, Converged, nil, at.last), nil
		case at.last.Over, step == s.Steps:
			return r.result(r.w, sched.AtLimit(), nil, at.last), nil
		}
		ended := ctx.Err() != nil
		if s.Pause != nil {
			s.Pause(func() []byte { return r.encode(s, at.last, sched) })
		}
		if ended {
			return r.result(r.w, Canceled, context.Cause(ctx), at.last), nil
		}
		if step == until {
			at.answered = true
			return nil, nil
		}
		if at.last.Restart {
			r.desc.Reset()
		}
		r.step(at.last)
	}
}

func (r *runner[T]) result(theta *matrix.Dense[T], st Status, cause error, last Step) *Result[T] {
	res := &Result[T]{W: theta, Status: st, Cause: cause, Last: last}
	if r.p.Parameters != nil {
		res.Theta, res.W = theta, matrix.New[T](r.p.D, r.p.D)
		r.p.Parameters.Adjacency(res.W, theta)
	}
	return res
}
