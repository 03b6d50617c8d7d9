package device

import (
	"context"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Coder is the shape of an autoencoder of rows x with a weighted graph S and Y = (I - S)⁻¹ between encoder and
// decoder:
//
//	e = encoder(x) + c,   z = e - eS - c,   x̂ = decoder((z + noise + c)Y - c),   loss = ½‖x - x̂‖² + ½‖z‖².
//
// Encoder and decoder are networks of one input with one hidden layer of rectifiers, out·max(0, in·x + b) +
// bias, shared by all columns.
type Coder struct {
	Rows, Columns int
	Hidden        int  // units of encoder and decoder
	Noise         bool // each batch comes with noise
}

// Tail returns the number of parameters besides the graph: c, then in, b, out and bias of the encoder, and
// those of the decoder.
func (c *Coder) Tail() int { return 6*c.Hidden + 3 }

// Coding is an autoencoder on a device.
type Coding struct {
	*place
	shape Coder
	out   Coded
}

// Coded is the loss of a batch of rows with its gradients: in S, in Y (as if Y did not depend on S), and in the
// other parameters.
type Coded struct {
	Loss       float64
	S, Y, Tail []float64
}

// OpenCoding opens a session for an autoencoder on the device of the context. It returns nil without a device,
// if an optional device does not support the shape, or if the context has ended.
func OpenCoding(ctx context.Context, shape Coder) (*Coding, error) {
	p, err := takeOwn(ctx, &Problem{D: shape.Columns, Bits: 64, Batch: 1, Coder: &shape})
	if p == nil {
		return nil, err
	}
	square := shape.Columns * shape.Columns
	return &Coding{p, shape, Coded{S: make([]float64, square), Y: make([]float64, square), Tail: make([]float64, shape.Tail())}}, nil
}

// Eval computes the loss of a batch and its gradients, which the next call overwrites. All matrices must be
// contiguous; noise may be nil. If a value is not finite, the error matches solve.ErrStuck.
func (c *Coding) Eval(x, noise, s, y *matrix.Dense[float64], tail []float64) (*Coded, error) {
	sent := [][]byte{raw(x.Data), raw(s.Data), raw(y.Data), raw(tail)}
	if c.shape.Noise {
		sent = append(sent, raw(noise.Data))
	}
	o := &c.out
	var err error
	if o.Loss, err = c.values(sent, [][]byte{raw(o.S), raw(o.Y), raw(o.Tail)}); err != nil {
		return nil, err
	}
	if !finite(o.S, o.Y, o.Tail) {
		return nil, solve.ErrStuck
	}
	return o, nil
}
