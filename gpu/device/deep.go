package device

import (
	"context"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Deep evaluates one network per column on a device, with two hidden layers of leaky rectifiers λ. Its value
// for a batch of rows is the negative log-likelihood
//
//	Σ ½(x_j - μ_j)²e^{-2s_j} + s_j + ½ln 2π,   μ_j = mean_j·b_j + m_j,   s_j = deviation_j·b_j + l_j,   b_j = λ(secondᵀ_j a_j + ·),   a_j = λ(firstᵀ_j x + ·).
//
// The parameters are, in this order: first, by column x, network and unit, and its biases; second, by network,
// unit of the first and unit of the second layer, and its biases; mean; m; l; and deviation unless s_j = l_j.
type Deep struct {
	*place
	rows  Rows
	table []float64 // a batch with a column of ones
}

// OpenDeep opens a session on the device of the context for batches of the given number of rows. leak is the
// positive slope of the rectifiers below zero. It returns nil without a device, if an optional device does not
// support the shape, or if the context has ended.
func OpenDeep(ctx context.Context, rows, columns, hidden int, constant bool, leak float64) (*Deep, error) {
	r := Rows{N: rows, Inputs: columns + 1, Outputs: columns * hidden, Hidden: hidden, Deep: true, Constant: constant, Leak: leak}
	p, err := takeOwn(ctx, &Problem{D: columns, Bits: 64, Batch: 1, Rows: &r})
	if p == nil {
		return nil, err
	}
	return &Deep{place: p, rows: r}, nil
}

// Eval returns the value of a batch at theta and overwrites grad with its gradient. If a value is not finite,
// the error matches solve.ErrStuck.
func (d *Deep) Eval(grad, theta []float64, batch *matrix.Dense[float64]) (float64, error) {
	d.table = appendOnes(d.table[:0], batch, false)
	v, err := d.values([][]byte{raw(theta), raw(d.table)}, [][]byte{raw(grad)})
	if err == nil && !finite(grad) {
		err = solve.ErrStuck
	}
	return v, err
}
