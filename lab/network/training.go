package network

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

// A Training fits a network with mini-batches. It minimizes
//
//	loss/rows + αh + ρ/2 h²
//
// where h is the constraint on the parameters. A Policy decides when α, ρ and the rate change and when the
// training ends. If a step leads to a point that cannot be evaluated, it is undone and the rate is halved.
type Training struct {
	Name   string
	Rows   *Rows
	Batch  int // rows per step
	Steps  int // most steps
	Loss   *Graph
	H      *Graph
	Policy Policy
	Seed   uint64
	// Prepare, if not nil, is called before each step with its number, to fill further inputs of Loss. They may
	// depend only on that number.
	Prepare func(step int)
	// Away, if not nil, computes the loss of a batch on a device and adds weight times its gradient to grad. If
	// its error matches solve.ErrStuck, the loss is computed on the CPU. An error that matches ErrAway ends the
	// training.
	Away  func(batch *matrix.Dense[float64], grad, theta []float64, weight float64) (float64, error)
	Pause func(state func() []byte)
	Tell  func(stage.Progress)

	Theta     []float64
	Zero      []bool // parameters that stay zero
	Optimizer *Optimizer
	Rate      float64
	Rho       float64
	Alpha     float64
	Memory    []float64 // state of the policy, saved with the rest

	Step       int     // number of steps
	Value, Now float64 // loss per row and h at the last step

	cut                bool // the policy was interrupted, so the present state must not be saved
	pass, done, undone int  // passes over the rows, batches of the present pass, consecutive undone steps
	prev, grad, gradH  []float64
	batchRows          int
}

// A Policy controls a training.
type Policy interface {
	// AfterStep is called after every step and AfterPass after every pass over the rows. They may change the
	// weights, the rate, Zero and Memory, and report whether the training is over. An error of the context ends
	// it.
	AfterStep(ctx context.Context, t *Training) (over bool, err error)
	AfterPass(ctx context.Context, t *Training) (over bool, err error)
}

// Settled reports whether a solve of an augmented Lagrangian is over, as in the programs of GraN-DAG and DCDI: the objective of held-out rows
// changed monotonically over two windows, and fell by less than flat per step of a window.
func Settled(before, half, now float64, window int, flat float64) bool {
	return !math.IsInf(before, 0) && min(before, now) < half && half < max(before, now) && (now-before)/float64(window) > -flat
}

// mostUndone is the number of consecutive undone steps after which a training fails.
const mostUndone = 30

var errOver = errors.New("the training is over")

// ErrAway is matched by the error if a device can no longer compute the loss.
var ErrAway = errors.New("the loss cannot be computed where it was to be")

// Away wraps an error of a device with ErrAway, unless it is about a single value.
func Away(err error) error {
	if err == nil || errors.Is(err, solve.ErrStuck) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrAway, err)
}

// Run trains until the policy ends it, the steps run out or the context ends. It starts from resume, a state
// that Pause received earlier, or from scratch. It returns an error if the state is invalid or no step can be
// evaluated.
func (t *Training) Run(ctx context.Context, resume []byte) (solve.Status, error) {
	n := len(t.Theta)
	t.grad, t.gradH, t.prev = make([]float64, n), make([]float64, n), slices.Clone(t.Theta)
	t.batchRows = min(t.Batch, t.Rows.N)
	if resume != nil {
		if err := t.decode(resume); err != nil {
			return solve.Failed, fmt.Errorf("the state of %s: %w; start from the beginning", t.Name, err)
		}
		t.H.Load(t.prev) // as before the interruption
		_, _ = t.H.Run(nil, nil, 0)
	}
	t.project()
	for {
		err := t.walk(ctx)
		if err == nil && t.Step < t.Steps { // the policy has already handled this pass
			t.pass, t.done = t.pass+1, 0
		}
		switch {
		case errors.Is(err, errOver):
			return solve.Converged, nil
		case ctx.Err() != nil:
			if t.Pause != nil && !t.cut {
				t.Pause(t.encode)
			}
			return solve.Canceled, nil
		case err != nil:
			return solve.Failed, err
		case t.Step >= t.Steps:
			return solve.StepLimit, nil
		}
	}
}

// walk makes one pass over the rows, without the batches done before an interruption.
func (t *Training) walk(ctx context.Context) error {
	k := 0
	err := t.Rows.Shuffled(ctx, t.Seed, t.pass, t.batchRows, func(batch *matrix.Dense[float64]) error {
		if k++; k <= t.done {
			return nil
		}
		if t.Step >= t.Steps {
			return nil
		}
		if t.Pause != nil && ctx.Err() == nil {
			t.Pause(t.encode)
		}
		if err := t.step(batch); err != nil {
			return err
		}
		t.done = k
		over, err := t.Policy.AfterStep(ctx, t)
		return t.ended(over, err)
	})
	if err != nil || t.Step >= t.Steps {
		return err
	}
	over, err := t.Policy.AfterPass(ctx, t)
	return t.ended(over, err)
}

func (t *Training) ended(over bool, err error) error {
	if t.cut = err != nil; err == nil && over {
		return errOver
	}
	return err
}

// step takes one step.
func (t *Training) step(batch *matrix.Dense[float64]) error {
	t.Step++
	if t.Prepare != nil {
		t.Prepare(t.Step)
	}
	err := t.evaluate(batch)
	if errors.Is(err, ErrAway) { // a state saved now is the state before the step
		t.Step--
		return err
	}
	if err != nil {
		if t.undone++; t.undone > mostUndone {
			return fmt.Errorf("step %d of %d, undone %d times: %w", t.Step, t.Steps, mostUndone, err)
		}
		copy(t.Theta, t.prev)
		t.Rate /= 2
		t.Optimizer.Reset()
		return nil
	}
	t.undone = 0
	copy(t.prev, t.Theta)
	t.Optimizer.Step(t.Theta, t.grad, t.Rate)
	t.project()
	if t.Tell != nil {
		t.Tell(stage.Progress{Stage: t.Name, Kind: stage.Solve, Step: t.Step, Steps: t.Steps, Score: t.Value, H: t.Now, Rho: t.Rho, Alpha: t.Alpha})
	}
	return nil
}

// evaluate sets grad to the gradient of the objective.
func (t *Training) evaluate(batch *matrix.Dense[float64]) error {
	weight := 1 / float64(batch.Rows)
	v, h, err := t.values(batch, weight)
	if err != nil {
		return err
	}
	for k, g := range t.gradH {
		t.grad[k] += (t.Alpha + t.Rho*h) * g
		if t.Zero[k] {
			t.grad[k] = 0
		}
		if t.grad[k]-t.grad[k] != 0 {
			return fmt.Errorf("the gradient of parameter %d is %v", k, t.grad[k])
		}
	}
	t.Value, t.Now = v*weight, h
	return nil
}

// values returns the loss and h and sets grad and gradH. It evaluates h after the loss, or while a device
// computes the loss. If the loss fails, the graph of h keeps the values of the last step.
func (t *Training) values(batch *matrix.Dense[float64], weight float64) (v, h float64, err error) {
	constrain := func() (float64, error) {
		clear(t.gradH)
		t.H.Load(t.Theta)
		return t.H.Run(nil, t.gradH, 1)
	}
	if t.Away == nil {
		if v, err = t.loss(batch, weight); err == nil {
			h, err = constrain()
		}
		return v, h, err
	}
	done := make(chan error, 1)
	go func() {
		var err error
		v, err = t.loss(batch, weight)
		done <- err
	}()
	h, outside := constrain()
	if err := <-done; err != nil {
		t.H.Load(t.prev)
		_, _ = t.H.Run(nil, nil, 0) // this evaluation succeeded before
		return 0, 0, err
	}
	return v, h, outside
}

// loss returns the loss of a batch and sets grad to its gradient.
func (t *Training) loss(batch *matrix.Dense[float64], weight float64) (float64, error) {
	clear(t.grad)
	if t.Away != nil {
		v, err := t.Away(batch, t.grad, t.Theta, weight)
		if !errors.Is(err, solve.ErrStuck) {
			return v, err
		}
		clear(t.grad)
	}
	t.Loss.Load(t.Theta)
	return t.Loss.Run(batch, t.grad, weight)
}

func (t *Training) project() {
	for k, no := range t.Zero {
		if no {
			t.Theta[k] = 0
		}
	}
}

// Constrained returns h at the present parameters and leaves their values in its graph.
func (t *Training) Constrained() (float64, error) {
	t.H.Load(t.Theta)
	return t.H.Run(nil, nil, 0)
}

// encode writes the state that determines the rest of a training.
func (t *Training) encode() []byte { return Encode("training/1", t.fields) }

func (t *Training) decode(b []byte) error { return Decode("training/1", b, t.fields) }

func (t *Training) fields(c *Codec) {
	parameters, memory := len(t.Theta), len(t.Memory)
	if c.Int(&parameters); parameters != len(t.Theta) {
		c.r.Fail("it has %d parameters, here are %d", parameters, len(t.Theta))
	}
	c.Int(&t.Step, &t.pass, &t.done, &t.undone)
	c.Float(&t.Rate, &t.Rho, &t.Alpha, &t.Value, &t.Now)
	Floats(c, t.Theta, t.prev)
	c.Bools(t.Zero)
	if c.Int(&memory); memory != len(t.Memory) {
		c.r.Fail("it has %d numbers of the policy, here are %d", memory, len(t.Memory))
	}
	Floats(c, t.Memory)
	t.Optimizer.Fields(c, len(t.Theta))
}

// Found returns the result of a training with the matrix w of its edges.
func (t *Training) Found(ctx context.Context, w *matrix.Dense[float64], status solve.Status) *Found {
	f := &Found{W: w, Status: status, Steps: t.Step, H: t.Now, Score: t.Value}
	if status == solve.Canceled {
		f.Cause = method.Why(context.Cause(ctx))
	}
	return f
}
