package device

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/solve"
)

// place is a session on a device that evaluates a function: it gets parameters and returns the value and the
// gradients.
type place struct {
	device  *Device
	session int
}

// takePlace opens a session. It waits if the device is full and returns nil if the context has ended.
func takePlace(ctx context.Context, d *Device, problem *Problem) (*place, error) {
	session, err := d.begin(ctx, problem)
	if ctx.Err() != nil && session == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &place{d, session}, nil
}

// takeOwn opens a session on the device of the context and records whether the device was used. It returns nil
// without a device, or if an optional device refuses the problem.
func takeOwn(ctx context.Context, problem *Problem) (*place, error) {
	u := usageOf(ctx)
	if u.device == nil {
		return nil, nil
	}
	p, err := takePlace(ctx, u.device, problem)
	switch {
	case err != nil && u.device.leaves(err):
		u.note(false, err.Error())
		return nil, nil
	case p != nil:
		u.note(true, "")
	}
	return p, err
}

// Close closes the session.
func (p *place) Close() error {
	defer p.device.end()
	_, err := p.device.ask(&Request{Op: OpClose, Session: p.session})
	if errors.Is(err, ErrLost) { // already reported, or without consequence
		return nil
	}
	return err
}

// values sends blobs and waits for the value; the other results go to into. If a number is not finite, the
// error matches solve.ErrStuck.
func (p *place) values(blobs, into [][]byte) (float64, error) {
	reply, err := p.device.ask(&Request{Op: OpValues, Session: p.session, Blobs: blobs, Into: into})
	if err != nil {
		return 0, err
	}
	if len(reply.Stuck) == 1 && reply.Stuck[0] {
		return 0, solve.ErrStuck
	}
	if len(reply.Points) != 1 || len(reply.Points[0]) != 1 || len(reply.Blobs) != len(into) {
		return 0, fmt.Errorf("the device answered with %d matrices, want %d with a point: %w", len(reply.Blobs), len(into), ErrLost)
	}
	for i, to := range into { // already stored unless the length differs
		if len(reply.Blobs[i]) != len(to) {
			return 0, fmt.Errorf("the device answered with a matrix of %d bytes, want %d: %w", len(reply.Blobs[i]), len(to), ErrLost)
		}
	}
	return reply.Points[0][0][0], nil
}

// finite reports whether no number is NaN or infinite.
func finite(parts ...[]float64) bool {
	for _, part := range parts {
		for _, v := range part {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
	}
	return true
}
