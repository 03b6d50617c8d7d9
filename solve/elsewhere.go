package solve

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/matrix"
)

// An Engine holds one descent somewhere else, on an accelerator for instance: the problem, W, and what the descent remembers. It is
// made for the Problem and the Descent that RunOn gets. Its values may round differently from those here.
type Engine[T matrix.Float] interface {
	// Load replaces the state. It copies all.
	Load(w *matrix.Dense[T], past Past[T]) error
	// Point evaluates where the descent stands. Step and Rejected are not set, and Still is that of the last step of a Searcher.
	Point() (Point, error)
	// Advance takes one step from the last Point as at says, and then up to n more, each with the weights of rest at its own h; n is 0 for a
	// Searcher. It returns the points that the later steps started from. Where a value is not usable, that of
	// the point where the last step leads included, it returns an error that matches ErrStuck; the state is then that of the last Point again.
	Advance(at Step, n int, rest Weights) ([]Point, error)
	// Most is the most steps that one Advance should take, so that it ends within a fraction of a second. It depends on the problem and on what the
	// engine is made of, and on no clock: where a step has to be taken again in another way, bytes can depend on where an Advance began.
	Most() int
	// Fetch copies the state back, or W alone where past is nil. It writes over the vectors of past, or replaces them by others.
	Fetch(w *matrix.Dense[T], past *Past[T]) error
}

// Past is what a descent remembers of its steps: vectors as long as W has entries, which are the two moments of Adam, or s₁ y₁ s₂ y₂ … of OWLQN, and of Adam
// the number of steps they come from and how often the rate has been halved.
type Past[T matrix.Float] struct {
	Vectors       [][]T
	Steps, Halved int
}

// traveler is a descent that an engine can have.
type traveler[T matrix.Float] interface {
	Descent[T]
	// past is what it remembers, of n parameters.
	past(n int) Past[T]
	// recall replaces the vectors.
	recall(p Past[T])
	// passed counts steps that an engine has taken.
	passed(steps int)
}

// ErrStuck is matched by the error of an Engine that met a value that is not finite, or could not be computed there. RunOn
// then goes on without the engine.
var ErrStuck = errors.New("a step cannot be taken on the device")

// An Evaluator computes score and constraint of a problem somewhere else, for descents that decide by values, as a line search does. Its values
// may round differently from those of the problem's own.
type Evaluator[T matrix.Float] interface {
	// Values returns score and h at w and overwrites grad and gradH with their gradients; gradH is nil where the problem has no constraint. It
	// neither changes nor keeps w. Outside the domain it returns an error, as Score and Constraint do.
	Values(grad, gradH, w *matrix.Dense[T]) (score, h float64, err error)
}

// Weights say how a step weighs score and constraint: the score with Score, h with A + B·h.
type Weights struct{ Score, A, B float64 }

// A Foreseer is a Schedule that knows its next answers but for h.
type Foreseer interface {
	Schedule
	// Ahead is asked after Next has answered for step. For the n steps that follow it, Next will answer with these
	// weights, and with neither Restart nor Done, whatever the points are, unless one has Still set.
	Ahead(step int) (n int, w Weights)
}

// Limits of RunOn: the steps that an engine is asked for at once, at first and at most, and how many are taken here where it is stuck, the first
// time and at most.
const (
	firstSteps = 16
	mostSteps  = 2048
	firstAside = 4
	mostAside  = 1024
)

// RunOn is Run with the steps taken by an engine, as many at a time as the schedule can foresee. The schedule, the observer and the states for
// Resume are the same as those of Run, and a state of either can be gone on from by the other; values differ by rounding. Where
// the engine is stuck, some steps are taken here, as Run takes them, and more each time; then the engine has the word again.
func RunOn[T matrix.Float](ctx context.Context, e Engine[T], p Problem[T], sched Schedule, desc Descent[T], s Settings, observe Observer) (*Result[T], error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if p.Parameters != nil {
		return nil, errors.New("an engine moves W itself, not parameters of it")
	}
	away, ok := desc.(traveler[T])
	if !ok {
		return nil, fmt.Errorf("the descent %T cannot be had by an engine", desc)
	}
	r, err := newRunner(p, desc)
	if err != nil {
		return nil, err
	}
	r.threads = s.Threads
	var at place
	if s.Resume != nil {
		if at.last, err = r.resume(s, sched); err != nil {
			return nil, err
		}
		at.answered = true
	}
	x := &excursion[T]{runner: r, engine: e, away: away, sched: sched, settings: s, observe: observe, most: firstSteps, aside: firstAside}
	for {
		out, err := x.travel(ctx, &at)
		if errors.Is(err, ErrStuck) {
			until := min(at.last.Step+x.aside, s.Steps)
			x.aside = min(2*x.aside, mostAside)
			out, err = r.descend(ctx, sched, s, observe, &at, until)
		}
		if out != nil || err != nil {
			return out, err
		}
	}
}

// excursion is a run while the engine has it.
type excursion[T matrix.Float] struct {
	*runner[T]
	engine   Engine[T]
	away     traveler[T]
	sched    Schedule
	settings Settings
	observe  Observer
	most     int // steps of the next command
	aside    int // steps taken here when the engine is stuck next
}

// travel lets the engine take steps from at on. It returns a result when the run is over, and ErrStuck with the state of at back in the runner where
// the engine can go no further.
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
				at.last.Restart, at.answered = false, true // it is done, and where the engine is stuck the step is taken here
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
			at.last.Restart = false // done already
			at.answered = true
			return nil, ErrStuck
		}
		if err != nil {
			return nil, fail(err)
		}
		x.most = max(1, min(2*x.most, mostSteps, x.engine.Most()))
		x.aside = max(x.aside/2, firstAside)
		step++
		x.away.passed(1 + len(pts))
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

// meet asks the schedule about a point, unless it has answered already, and tells the observer.
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

// stop ends the run at a point where it is over, and saves its state where somebody wants it.
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

// stuck brings the state back where the engine cannot evaluate the point of a step. The runner then evaluates it.
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

func (x *excursion[T]) load() error { return x.engine.Load(x.w, x.away.past(len(x.w.Data))) }

func (x *excursion[T]) fetch() error {
	past := x.away.past(len(x.w.Data))
	if err := x.engine.Fetch(x.w, &past); err != nil {
		return err
	}
	x.away.recall(past)
	return nil
}
