package solve

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/matrix"
)

// An Engine runs a descent on another device, such as a GPU. It holds the problem, W and the state of the
// descent, and is built for the Problem and the Descent passed to RunOn. Its values may round differently.
type Engine[T matrix.Float] interface {
	// Load replaces the state with copies of w and past.
	Load(w *matrix.Dense[T], past Past[T]) error
	// Point evaluates the current point. It does not set Step and Rejected. For a Searcher, Still describes the
	// last step.
	Point() (Point, error)
	// Advance takes one step with the weights of at, then up to n more with the weights of rest at their own h.
	// n is 0 for a Searcher. It returns the points at which the later steps started. If a value is not finite,
	// also at the final point, it restores the last Point and returns an error that matches ErrStuck.
	Advance(at Step, n int, rest Weights) ([]Point, error)
	// Most returns the largest number of steps for one Advance, so that a call takes a fraction of a second. It
	// depends on the problem and the hardware but not on time. A repeated step may round differently, so
	// results can depend on where an Advance began.
	Most() int
	// Fetch copies the state back, or only W if past is nil. It overwrites or replaces the vectors of past.
	Fetch(w *matrix.Dense[T], past *Past[T]) error
}

// Past is the state of a descent. Vectors have as many entries as W: the two moments of Adam, or s₁ y₁ s₂ y₂ …
// of OWLQN. Adam also has its step count and the halvings of its rate.
type Past[T matrix.Float] struct {
	Vectors       [][]T
	Steps, Halved int
}

// A Traveler is a descent whose state an Engine can take over.
type Traveler[T matrix.Float] interface {
	Descent[T]
	// Past returns the state for n parameters.
	Past(n int) Past[T]
	// Recall replaces the vectors of the state.
	Recall(p Past[T])
	// Passed adds the steps that an Engine took to the step count.
	Passed(steps int)
}

// ErrStuck marks the error of an Engine that met a non-finite value or a failed evaluation. RunOn then takes
// some steps without the engine.
var ErrStuck = errors.New("a step cannot be taken on the device")

// An Evaluator computes the score and the constraint of a problem on another device. It serves descents that
// choose steps by values, such as a line search. Its values may round differently.
type Evaluator[T matrix.Float] interface {
	// Values returns the score and h at w and overwrites grad and gradH with their gradients. gradH is nil if
	// the problem has no constraint. Values neither changes nor retains w. Outside the domain it returns an
	// error.
	Values(grad, gradH, w *matrix.Dense[T]) (score, h float64, err error)
}

// Weights are the weights of a step: Score for the score, and A + B·h for the constraint.
type Weights struct{ Score, A, B float64 }

// A Foreseer is a Schedule that knows its next weights as functions of h.
type Foreseer interface {
	Schedule
	// Ahead is called after Next has answered for step. For the n following steps, Next will return these
	// weights with neither Restart nor Done, unless a point has Still set.
	Ahead(step int) (n int, w Weights)
}

// Limits of RunOn: the first and the largest number of steps per Advance, and the first and the largest number
// of steps without the engine after ErrStuck.
const (
	firstSteps = 16
	mostSteps  = 2048
	firstAside = 4
	mostAside  = 1024
)

// RunOn is Run with an Engine that takes the steps, as many per call as the schedule can foresee. Schedules,
// observers and resume states work as in Run, and each function can resume a state of the other. Values differ
// by rounding. After ErrStuck, RunOn takes some steps as Run does, more each time, and then returns to the
// engine.
func RunOn[T matrix.Float](ctx context.Context, e Engine[T], p Problem[T], sched Schedule, desc Descent[T], s Settings, observe Observer) (*Result[T], error) {
	var out any
	var err error
	switch p := any(p).(type) {
	case Problem[float32]:
		e, _ := any(e).(Engine[float32])
		desc, _ := any(desc).(Descent[float32])
		out, err = runOn32(ctx, e, p, sched, desc, s, observe)
	case Problem[float64]:
		e, _ := any(e).(Engine[float64])
		desc, _ := any(desc).(Descent[float64])
		out, err = runOn64(ctx, e, p, sched, desc, s, observe)
	}
	return out.(*Result[T]), err
}

func runOn[T matrix.Float](ctx context.Context, e Engine[T], p Problem[T], sched Schedule, desc Descent[T], s Settings, observe Observer) (*Result[T], error) {
	if p.Parameters != nil {
		return nil, errors.New("an engine moves W itself, not parameters of it")
	}
	away, ok := desc.(Traveler[T])
	if !ok {
		return nil, fmt.Errorf("the descent %T cannot be had by an engine", desc)
	}
	r, at, err := begin(p, sched, desc, s)
	if err != nil {
		return nil, err
	}
	x := &excursion[T]{runner: r, engine: e, away: away, sched: sched, settings: s, observe: observe, most: firstSteps, aside: firstAside}
	for {
		out, err := x.travel(ctx, at)
		if errors.Is(err, ErrStuck) {
			until := min(at.last.Step+x.aside, s.Steps)
			x.aside = min(2*x.aside, mostAside)
			out, err = r.descend(ctx, sched, s, observe, at, until)
		}
		if out != nil || err != nil {
			return out, err
		}
	}
}

// excursion is the state of a run while an Engine takes its steps.
type excursion[T matrix.Float] struct {
	*runner[T]
	engine   Engine[T]
	away     Traveler[T]
	sched    Schedule
	settings Settings
	observe  Observer
	most     int // steps of the next Advance
	aside    int // steps without the engine after the next ErrStuck
}

// travel lets the engine take steps from at on. It returns a result at the end of the run. If the engine fails,
// it restores the state at at in the runner and returns ErrStuck.
func (x *excursion[T]) travel(ctx context.Context, at *place) (*Result[T], error) {
	fail := func(err error) error { return fmt.Errorf("step %d of %d: %w", at.last.Step, x.settings.Steps, err) }
	if err := x.load(); err != nil {
		return nil, fail(err)
	}
	for step := at.last.Step; ; {
		pt, err := x.engine.Point()
		if err != nil {
			return nil, x.stuck(err, step, at, fail)
		}
		if at.answered {
			if err := at.last.same(pt); err != nil {
				return nil, err
			}
		}
		pt.Step = step
		x.meet(pt, at)
		if out, err := x.stop(ctx, at); out != nil || err != nil {
			return out, err
		}
		if at.last.Restart {
			x.away.Reset()
			err := errors.Join(x.engine.Fetch(x.w, nil), x.load())
			if err == nil {
				_, err = x.engine.Point()
			}
			if err != nil {
				at.last.Restart, at.answered = false, true // the restart is done; after ErrStuck the runner takes this step
				return nil, fail(err)
			}
		}
		n, rest := 0, Weights{}
		if ahead, ok := x.sched.(Foreseer); ok && x.search == nil {
			n, rest = ahead.Ahead(step)
			n = min(n, x.settings.Steps-step-1, x.most-1)
		}
		pts, err := x.engine.Advance(at.last, n, rest)
		if errors.Is(err, ErrStuck) {
			if err := x.fetch(); err != nil {
				return nil, fail(err)
			}
			at.last.Restart = false // the restart is done
			at.answered = true
			return nil, ErrStuck
		}
		if err != nil {
			return nil, fail(err)
		}
		x.most = max(1, min(2*x.most, mostSteps, x.engine.Most()))
		x.aside = max(x.aside/2, firstAside)
		step++
		x.away.Passed(1 + len(pts))
		for _, pt := range pts {
			pt.Step = step
			x.meet(pt, at)
			if at.last.Done || at.last.Over || at.last.Restart || at.last.ScoreWeight != rest.Score {
				panic(fmt.Sprintf("solve: %T did not foresee its answer at step %d", x.sched, step))
			}
			step++
		}
	}
}

// meet calls the schedule and the observer for a point, unless the schedule has already answered for it.
func (x *excursion[T]) meet(pt Point, at *place) {
	if at.answered {
		at.answered = false
		return
	}
	pt.Rejected, x.still = x.rejected, pt.Still
	at.last = Step{pt, x.sched.Next(pt)}
	if x.observe != nil {
		x.observe(at.last)
	}
}

// stop returns the result if the run ends at this point, and offers its state to Settings.Pause.
func (x *excursion[T]) stop(ctx context.Context, at *place) (*Result[T], error) {
	var failed error
	status, over := Canceled, ctx.Err() != nil
	switch {
	case at.last.Done:
		status, over = Converged, true
	case at.last.Over, at.last.Step == x.settings.Steps:
		status, over = x.sched.AtLimit(), true
	}
	if x.settings.Pause != nil && (!over || status == Canceled) {
		x.settings.Pause(func() []byte {
			if failed = x.fetch(); failed != nil {
				return nil
			}
			return x.encode(x.settings, at.last, x.sched)
		})
	}
	if !over || failed != nil {
		return nil, failed
	}
	if err := x.fetch(); err != nil {
		return nil, err
	}
	var cause error
	if status == Canceled {
		cause = context.Cause(ctx)
	}
	return x.result(x.w, status, cause, at.last), nil
}

// stuck fetches the state after the engine failed to evaluate a point. The runner then evaluates it.
func (x *excursion[T]) stuck(err error, step int, at *place, fail func(error) error) error {
	if !errors.Is(err, ErrStuck) {
		return fail(err)
	}
	if err := x.fetch(); err != nil {
		return fail(err)
	}
	x.prev.CopyFrom(x.w)
	if at.last.Step != step {
		at.last.Step, at.answered = step, false
	}
	return ErrStuck
}

func (x *excursion[T]) load() error { return x.engine.Load(x.w, x.away.Past(len(x.w.Data))) }

func (x *excursion[T]) fetch() error {
	past := x.away.Past(len(x.w.Data))
	if err := x.engine.Fetch(x.w, &past); err != nil {
		return err
	}
	x.away.Recall(past)
	return nil
}
