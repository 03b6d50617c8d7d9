package device

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Coder is the shape of an autoencoder of rows x with a weighted graph S and Y = (I - S)⁻¹ in its middle:
//
//	e = encoder(x) + c,   z = e - eS - c,   x̂ = decoder((z + noise + c)Y - c),   loss = ½‖x - x̂‖² + ½‖z‖².
//
// Encoder and decoder are networks of one number with one hidden layer of rectifiers, out·max(0, in·x + b) + bias, the same for all columns.
type Coder struct {
	Rows, Columns int
	Hidden        int  // units of encoder and decoder
	Noise         bool // it comes with each batch
}

// Tail is the number of parameters beside the graph: c, then in, b, out and bias of the encoder, and those of the decoder.
func (c *Coder) Tail() int { return 6*c.Hidden + 3 }

// Coding is an autoencoder on a device.
type Coding struct {
	device  *Device
	session int
	shape   Coder
	out     Coded
}

// Coded is the loss of a batch of rows, with its gradients in S, in Y as if it did not depend on S, and in the other parameters.
type Coded struct {
	Loss       float64
	S, Y, Tail []float64
}

// OpenCoding takes a place for an autoencoder on the device of the context. It returns nil where there is none, and where the context has ended.
func OpenCoding(ctx context.Context, shape Coder) (*Coding, error) {
	u := usageOf(ctx)
	if u.device == nil || ctx.Err() != nil {
		return nil, nil
	}
	session, err := u.device.begin(ctx, &Problem{D: shape.Columns, Bits: 64, Batch: 1, Values: true, Coder: &shape})
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil
		}
		return nil, err
	}
	u.note(true, "")
	square := shape.Columns * shape.Columns
	return &Coding{u.device, session, shape, Coded{S: make([]float64, square), Y: make([]float64, square), Tail: make([]float64, shape.Tail())}}, nil
}

// Close gives the place back.
func (c *Coding) Close() error {
	defer c.device.end()
	_, err := c.device.ask(&Request{Op: OpClose, Session: c.session})
	if errors.Is(err, ErrLost) { // said already, or of no consequence
		return nil
	}
	return err
}

// Eval computes the loss of a batch and its gradients, which the next call overwrites. All matrices must be contiguous; noise is nil where there is none. Where a value is not
// finite the error matches solve.ErrStuck.
func (c *Coding) Eval(x, noise, s, y *matrix.Dense[float64], tail []float64) (*Coded, error) {
	q := &Request{Op: OpValues, Session: c.session, Blobs: [][]byte{raw(x.Data), raw(s.Data), raw(y.Data), raw(tail)}}
	if c.shape.Noise {
		q.Blobs = append(q.Blobs, raw(noise.Data))
	}
	for _, to := range [][]float64{c.out.S, c.out.Y, c.out.Tail} {
		q.Into = append(q.Into, raw(to))
	}
	reply, err := c.device.ask(q)
	if err != nil {
		return nil, err
	}
	if len(reply.Stuck) == 1 && reply.Stuck[0] {
		return nil, solve.ErrStuck
	}
	if len(reply.Points) != 1 || len(reply.Points[0]) != 1 || len(reply.Blobs) != len(q.Into) {
		return nil, fmt.Errorf("the device answered with %d matrices, want %d with a point: %w", len(reply.Blobs), len(q.Into), ErrLost)
	}
	for i, to := range q.Into { // they are there already, unless one has another length
		if len(reply.Blobs[i]) != len(to) {
			return nil, fmt.Errorf("the device answered with a matrix of %d bytes, want %d: %w", len(reply.Blobs[i]), len(to), ErrLost)
		}
	}
	for _, part := range [][]float64{c.out.S, c.out.Y, c.out.Tail} {
		for _, v := range part {
			if v-v != 0 {
				return nil, solve.ErrStuck
			}
		}
	}
	c.out.Loss = reply.Points[0][0][0]
	return &c.out, nil
}
