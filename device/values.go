package device

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// values is one problem on a device that is asked for score, constraint and their gradients at a W, as a line search asks. What decides by them, the
// search, its memory and the multipliers, stays here: W goes there and two matrices come back, d² numbers each, where an evaluation has
// some ten products of 2d³ operations. It has a session of its own, so that company changes nothing.
type values[T matrix.Float] struct {
	device  *Device
	session int
	p       solve.Problem[T]
	moments *matrix.Dense[T]
	failed  error // of the device: nothing is asked of it after that
}

// maxSearches is the most line searches on a device at once; more wait. Their evaluations are done one after the other, so that more of them would
// take memory there and save nothing but the time between two evaluations.
const maxSearches = 16

// runBy is solve.RunBy with values from the device.
func runBy[T matrix.Float](ctx context.Context, d *Device, problem Problem, moments *matrix.Dense[T], p solve.Problem[T], sched solve.Schedule, desc solve.Descent[T], s solve.Settings, observe solve.Observer) (*solve.Result[T], error) {
	v, err := newValues(ctx, d, problem, moments, p)
	if err != nil {
		return nil, err
	}
	if v == nil { // it ends where it begins, and says so as every run does
		return solve.Run(ctx, p, sched, desc, s, observe)
	}
	out, err := solve.RunBy(ctx, v, p, sched, desc, s, observe)
	if v.failed != nil { // a search takes every error for a step that is too long
		return nil, errors.Join(v.failed, v.close())
	}
	return out, errors.Join(err, v.close())
}

// newValues opens a session for values. It returns nil where ctx has ended.
func newValues[T matrix.Float](ctx context.Context, d *Device, problem Problem, moments *matrix.Dense[T], p solve.Problem[T]) (*values[T], error) {
	session, err := d.begin(ctx, &problem)
	if ctx.Err() != nil && session == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v := &values[T]{device: d, session: session, p: p, moments: moments}
	if _, err := d.ask(&Request{Op: OpData, Session: v.session, Blobs: [][]byte{raw(moments.Data)}}); err != nil {
		return nil, errors.Join(err, v.close())
	}
	return v, nil
}

func (v *values[T]) close() error {
	defer v.device.end()
	return v.device.close(v.session)
}

// begin opens a session for a line search. It waits for a place, and where the memory is full for the end of another search. It returns
// 0 where ctx has ended.
func (d *Device) begin(ctx context.Context, problem *Problem) (session int, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	select {
	case d.searches <- struct{}{}:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	for {
		d.groups.Lock()
		session, err := d.openSession(problem)
		others, freed := d.holding, d.freed
		if err == nil {
			d.holding++
		}
		d.groups.Unlock()
		switch {
		case err == nil:
			return session, nil
		case others > 0 && errors.Is(err, ErrFull):
			select {
			case <-freed:
				continue
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
		}
		<-d.searches
		return 0, err
	}
}

// end gives the place of a line search back, whose session is closed.
func (d *Device) end() {
	d.groups.Lock()
	d.holding--
	close(d.freed)
	d.freed = make(chan struct{})
	d.groups.Unlock()
	<-d.searches
}

// close ends a session.
func (d *Device) close(session int) error {
	_, err := d.ask(&Request{Op: OpClose, Session: session})
	if errors.Is(err, ErrLost) { // said already, or of no consequence
		return nil
	}
	return err
}

// Values evaluates on the device, and here where it is stuck: a matrix is too large for its exponential there, or a value is not finite.
func (v *values[T]) Values(grad, gradH, w *matrix.Dense[T]) (score, h float64, err error) {
	if v.failed != nil {
		return 0, 0, v.failed
	}
	score, h, err = v.there(grad, gradH, w)
	if !errors.Is(err, solve.ErrStuck) {
		v.failed = err
		return score, h, err
	}
	if score, err = v.p.Score.Eval(grad, w); err == nil && gradH != nil {
		h, err = v.p.Constraint.Eval(gradH, w)
	}
	return score, h, err
}

// there asks for S·W and Q = ∂h/∂(W∘W): the gradients are S·W - S and 2 W∘Q.
func (v *values[T]) there(grad, gradH, w *matrix.Dense[T]) (score, h float64, err error) {
	into := [][]byte{raw(grad.Data)}
	if gradH != nil {
		into = append(into, raw(gradH.Data))
	}
	reply, err := v.device.ask(&Request{Op: OpValues, Session: v.session, Blobs: [][]byte{raw(w.Data)}, Into: into})
	if err != nil {
		return 0, 0, err
	}
	if len(reply.Stuck) == 1 && reply.Stuck[0] {
		return 0, 0, solve.ErrStuck
	}
	if len(reply.Points) != 1 || len(reply.Points[0]) != 1 || len(reply.Blobs) != len(into) {
		return 0, 0, fmt.Errorf("the device answered with %d matrices, want %d with a point: %w", len(reply.Blobs), len(into), ErrLost)
	}
	for i, to := range into { // they are there already, unless one has another length
		if len(reply.Blobs[i]) != len(to) {
			return 0, 0, fmt.Errorf("the device answered with a matrix of %d bytes, want %d: %w", len(reply.Blobs[i]), len(to), ErrLost)
		}
	}
	for i, s := range v.moments.Data {
		grad.Data[i] -= s
	}
	if gradH != nil {
		for i, x := range w.Data {
			gradH.Data[i] *= 2 * x
		}
	}
	return reply.Points[0][0][0], reply.Points[0][0][2], nil
}
