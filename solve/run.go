package solve

import (
	"context"
	"fmt"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/vec"
)

// Run descends until the schedule is done, the steps run out, the context ends, or a value is no
// longer finite. It returns the last finite point in every case; the error is not nil
// only for invalid settings and for Failed, and then says at which step and why. Cost of a step: one evaluation of
// score and constraint with gradients, and O(D²). observe may be nil.
func Run[T matrix.Float](ctx context.Context, p Problem[T], sched Schedule, desc Descent[T], s Settings, observe Observer) (*Result[T], error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if p.Forbidden != nil && len(p.Forbidden) != p.D*p.D {
		return nil, fmt.Errorf("solve: Forbidden has %d entries, want %d", len(p.Forbidden), p.D*p.D)
	}
	r := &runner[T]{
		p:     p,
		w:     matrix.New[T](p.D, p.D),
		prev:  matrix.New[T](p.D, p.D),
		grad:  matrix.New[T](p.D, p.D),
		gradH: matrix.New[T](p.D, p.D),
	}
	if p.Start != nil {
		r.w.CopyFrom(p.Start)
	}
	r.project()
	var last Step
	resumed := s.Resume != nil
	if resumed {
		var err error
		if last, err = r.resume(s, sched, desc); err != nil {
			return nil, err
		}
	}
	first := last.Step
	for step := first; ; step++ {
		pt, err := r.evaluate(step)
		if err != nil {
			if step == first {
				return nil, fmt.Errorf("solve: at the start: %w", err)
			}
			err = fmt.Errorf("solve: step %d of %d: %w", step, s.Steps, err)
			return &Result[T]{W: r.prev, Status: Failed, Cause: err, Last: last}, err
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
		move := last.Move
		end := func(st Status, cause error) (*Result[T], error) {
			return &Result[T]{W: r.w, Status: st, Cause: cause, Last: last}, nil
		}
		switch {
		case move.Done:
			return end(Converged, nil)
		case step == s.Steps:
			return end(sched.AtLimit(), nil)
		}
		ended := ctx.Err() != nil
		if s.Pause != nil {
			s.Pause(func() []byte { return r.encode(s, last, sched, desc) })
		}
		if ended {
			return end(Canceled, context.Cause(ctx))
		}
		if move.Restart {
			desc.Reset()
		}
		r.prev.CopyFrom(r.w)
		vec.Axpy(r.grad.Data, T(move.Weight), r.gradH.Data)
		desc.Step(r.w, r.grad)
		r.project()
	}
}

// runner holds the matrices of one run; all are contiguous.
type runner[T matrix.Float] struct {
	p                    Problem[T]
	w, prev, grad, gradH *matrix.Dense[T]
}

// evaluate fills grad with the gradient of score and penalty, and gradH with that of h.
func (r *runner[T]) evaluate(step int) (Point, error) {
	f, err := r.p.Score.Eval(r.grad, r.w)
	if err != nil {
		return Point{}, err
	}
	h, err := r.p.Constraint.Eval(r.gradH, r.w)
	if err != nil {
		return Point{}, err
	}
	pt := Point{Step: step, Score: f, H: h}
	if r.p.Penalty != nil {
		pt.Penalty = r.p.Penalty.AddGrad(r.grad, r.w)
	}
	if sum := pt.Score + pt.Penalty + pt.H; sum-sum != 0 {
		return Point{}, fmt.Errorf("score %g, penalty %g, h %g: not finite", pt.Score, pt.Penalty, pt.H)
	}
	return pt, nil
}

// project zeroes the diagonal (line 4 of Algorithm 1) and the forbidden entries.
func (r *runner[T]) project() {
	for i := range r.p.D {
		r.w.Set(i, i, 0)
	}
	for i, no := range r.p.Forbidden {
		if no {
			r.w.Data[i] = 0
		}
	}
}
