package device

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/solve"
)

// place is a session of its own on a device, which is asked for values: numbers go there, and a value comes back with its gradients.
type place struct {
	device  *Device
	session int
}

// takePlace opens a session. It waits for one where the device is full, and returns nil where the context has ended.
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

// takeOwn takes a place on the device of the context, nil where there is none, or where it is optional and does not take the problem, and notes what became of it.
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

// Close gives the place back.
func (p *place) Close() error {
	defer p.device.end()
	_, err := p.device.ask(&Request{Op: OpClose, Session: p.session})
	if errors.Is(err, ErrLost) { // said already, or of no consequence
		return nil
	}
	return err
}

// values sends numbers and waits for a value and what belongs into the given memory. Where a number of it is not finite, the error matches solve.ErrStuck.
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
	for i, to := range into { // they are there already, unless one has another length
		if len(reply.Blobs[i]) != len(to) {
			return 0, fmt.Errorf("the device answered with a matrix of %d bytes, want %d: %w", len(reply.Blobs[i]), len(to), ErrLost)
		}
	}
	return reply.Points[0][0][0], nil
}

// finite says whether all numbers are.
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
