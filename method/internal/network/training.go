package network

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

// A Training fits a network to one batch of rows after the other. It minimizes
//
//	loss/rows + αh + ρ/2 h²
//
// with h the constraint on the parameters, and leaves to a Policy when α, ρ and the rate change and
// when it is over. A step that leads to a point that cannot be evaluated is undone, and the rate
// halved.
type Training struct {
	Name   string
	Rows   *Rows
	Batch  int // rows a step
	Steps  int // most steps
	Loss   *Graph
	H      *Graph
	Policy Policy
	Seed   uint64
	// Prepare, where it is not nil, is called before each step with its number, to fill further
	// inputs of Loss. What it fills in may depend on nothing but that number.
	Prepare func(step int)
	// Away, where it is not nil, computes the loss of a batch elsewhere, and adds weight times its gradient to grad. Where
	// it cannot, its error matches solve.ErrStuck, and the loss is computed here; after an error that matches ErrAway the
	// training ends.
	Away  func(batch *matrix.Dense[float64], grad, theta []float64, weight float64) (float64, error)
	Pause func(state func() []byte)
	Tell  func(stage.Progress)

	Theta     []float64
	Zero      []bool // parameters that stay 0
	Optimizer *Optimizer
	Rate      float64
	Rho       float64
	Alpha     float64
	Memory    []float64 // what the policy keeps; it is saved with the rest

	Step       int     // steps taken
	Value, Now float64 // loss a row and h at the last step

	cut                bool // the policy was interrupted: the present state is none to go on from
	pass, done, undone int  // passes over the rows, batches of the present one, steps undone in a row
	prev, grad, gradH  []float64
	batchRows          int
}

// A Policy steers a training.
type Policy interface {
	// AfterStep is told of every step, AfterPass of every pass over the rows. They may change the
	// weights, the rate, what stays zero and the memory, and report whether the training is over.
	// An error of the context ends it.
	AfterStep(ctx context.Context, t *Training) (over bool, err error)
	AfterPass(ctx context.Context, t *Training) (over bool, err error)
}

// mostUndone is how many steps in a row are undone before a training fails.
const mostUndone = 30

var errOver = errors.New("the training is over")

// ErrAway is matched by the error of a loss that is computed elsewhere and cannot be any more.
var ErrAway = errors.New("the loss cannot be computed where it was to be")

// Away is the error of a device as a training takes it: one that is not of a value ends it.
func Away(err error) error {
	if err == nil || errors.Is(err, solve.ErrStuck) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrAway, err)
}

// Run trains until the policy ends it, the steps run out or the context ends, from a state that
// Pause was given before, or from the start. The error is not nil where the state cannot be read
// and where no step can be evaluated.
func (t *Training) Run(ctx context.Context, resume []byte) (solve.Status, error) {
	n := len(t.Theta)
	t.grad, t.gradH, t.prev = make([]float64, n), make([]float64, n), slices.Clone(t.Theta)
	t.batchRows = min(t.Batch, t.Rows.N)
	if resume != nil {
		if err := t.decode(resume); err != nil {
			return solve.Failed, fmt.Errorf("the state of %s: %w; start from the beginning", t.Name, err)
		}
		t.H.Load(t.prev) // as it was before the interruption
		_, _ = t.H.run(nil, nil, 0)
	}
	t.project()
	for {
		err := t.walk(ctx)
		if err == nil && t.Step < t.Steps { // the policy has had its say about this pass
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

// walk makes one pass over the rows, without the batches that were done before the training was
// interrupted.
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

// step moves the parameters once.
func (t *Training) step(batch *matrix.Dense[float64]) error {
	t.Step++
	if t.Prepare != nil {
		t.Prepare(t.Step)
	}
	err := t.evaluate(batch)
	if errors.Is(err, ErrAway) { // a state that is saved now is that before the step
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

// evaluate leaves the gradient of the objective in grad.
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

// values returns loss and h with their gradients in grad and gradH: h after the loss, or while the loss is computed
// elsewhere. Where there is no loss, the graph of h holds the values of the last step either way.
func (t *Training) values(batch *matrix.Dense[float64], weight float64) (v, h float64, err error) {
	constrain := func() (float64, error) {
		clear(t.gradH)
		t.H.Load(t.Theta)
		return t.H.run(nil, t.gradH, 1)
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
		_, _ = t.H.run(nil, nil, 0) // it could be evaluated then
		return 0, 0, err
	}
	return v, h, outside
}

// loss returns the loss of a batch, with its gradient in grad.
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
	return t.Loss.run(batch, t.grad, weight)
}

func (t *Training) project() {
	for k, no := range t.Zero {
		if no {
			t.Theta[k] = 0
		}
	}
}

// Constrained is h at the present parameters; its graph then holds their values.
func (t *Training) Constrained() (float64, error) {
	t.H.Load(t.Theta)
	return t.H.run(nil, nil, 0)
}

// encode writes all that the rest of a training depends on.
func (t *Training) encode() []byte {
	w := wire.NewWriter("training/1")
	for _, n := range []int{len(t.Theta), t.Step, t.pass, t.done, t.undone} {
		w.Int(n)
	}
	for _, v := range []float64{t.Rate, t.Rho, t.Alpha, t.Value, t.Now} {
		w.Float(v)
	}
	wire.Floats(w, t.Theta)
	wire.Floats(w, t.prev)
	for _, no := range t.Zero {
		w.Bool(no)
	}
	w.Int(len(t.Memory))
	wire.Floats(w, t.Memory)
	t.Optimizer.write(w)
	return w.Seal()
}

func (t *Training) decode(b []byte) error {
	r := wire.NewReader("training/1", b)
	if n := r.Int(); n != len(t.Theta) {
		r.Fail("it has %d parameters, here are %d", n, len(t.Theta))
	}
	for _, n := range []*int{&t.Step, &t.pass, &t.done, &t.undone} {
		*n = r.Int()
	}
	for _, v := range []*float64{&t.Rate, &t.Rho, &t.Alpha, &t.Value, &t.Now} {
		*v = r.Float()
	}
	wire.ReadFloats(r, t.Theta)
	wire.ReadFloats(r, t.prev)
	for k := range t.Zero {
		t.Zero[k] = r.Bool()
	}
	t.Memory = make([]float64, r.Between(0, len(b)))
	wire.ReadFloats(r, t.Memory)
	t.Optimizer.read(r, len(t.Theta))
	return r.Close()
}

// Found is what a training has come to, by the matrix of its edges.
func (t *Training) Found(ctx context.Context, w *matrix.Dense[float64], status solve.Status) *Found {
	f := &Found{W: w, Status: status, Steps: t.Step, H: t.Now, Score: t.Value}
	if status == solve.Canceled {
		f.Cause = method.Why(context.Cause(ctx))
	}
	return f
}
