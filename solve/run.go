package solve

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/matrix"
)

// Run descends until the schedule is done, the steps run out, the context ends, or a value is no
// longer finite and no shorter step helps. It returns the last finite point in every case; the error is not nil
// only for invalid settings and for Failed, and then says at which step and why. Cost of a step: one evaluation of
// score and constraint with gradients, and O(D²); a step that is undone costs two evaluations more. observe may be nil.
func Run[T matrix.Float](ctx context.Context, p Problem[T], sched Schedule, desc Descent[T], s Settings, observe Observer) (*Result[T], error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	r, err := newRunner(p, desc)
	if err != nil {
		return nil, err
	}
	r.threads = s.Threads
	var last Step
	resumed := s.Resume != nil
	if resumed {
		if last, err = r.resume(s, sched); err != nil {
			return nil, err
		}
	}
	first := last.Step
	for step := first; ; step++ {
		pt, err := r.evaluate(step)
		if err != nil && step > first {
			pt, err = r.retry(step, s.Retries, last.Move, err)
		}
		if err != nil {
			if step == first {
				return nil, fmt.Errorf("at the start: %w", err)
			}
			err = fmt.Errorf("step %d of %d: %w", step, s.Steps, err)
			return r.result(r.prev, Failed, err, last), err
		}
		if resumed && step == first {
			if err := last.same(pt); err != nil {
				return nil, err
			}
		} else {
			last = Step{pt, sched.Next(pt)}
			if observe != nil {
				observe(last)
			}
		}
		switch {
		case last.Done:
			return r.result(r.w, Converged, nil, last), nil
		case last.Over, step == s.Steps:
			return r.result(r.w, sched.AtLimit(), nil, last), nil
		}
		ended := ctx.Err() != nil
		if s.Pause != nil {
			s.Pause(func() []byte { return r.encode(s, last, sched) })
		}
		if ended {
			return r.result(r.w, Canceled, context.Cause(ctx), last), nil
		}
		if last.Restart {
			desc.Reset()
		}
		r.step(last)
	}
}

// result is what Run returns at the parameters theta.
func (r *runner[T]) result(theta *matrix.Dense[T], st Status, cause error, last Step) *Result[T] {
	res := &Result[T]{W: theta, Status: st, Cause: cause, Last: last}
	if r.p.Parameters != nil {
		res.Theta, res.W = theta, matrix.New[T](r.p.D, r.p.D)
		r.p.Parameters.Adjacency(res.W, theta)
	}
	return res
}
