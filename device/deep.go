package device

import (
	"context"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Deep is a network for each column on a device, with two hidden layers of leaky rectifiers λ, for batches of rows: the negative log-likelihood
//
//	Σ ½(x_j - μ_j)²e^{-2s_j} + s_j + ½ln 2π,   μ_j = mean_j·b_j + m_j,   s_j = deviation_j·b_j + l_j,   b_j = λ(secondᵀ_j a_j + ·),   a_j = λ(firstᵀ_j x + ·).
//
// The parameters are first, by column x, network and unit; its biases; second, by network, unit of the first and of the second layer; its biases; mean; m; l; and deviation, unless s_j is l_j.
type Deep struct {
	*place
	rows  Rows
	table []float64 // a batch with ones
}

// OpenDeep takes a place on the device of the context for batches of so many rows. The rectifiers have the slope leak below zero, which
// is above zero. It returns nil where there is none, where it is optional and does not take the shape, and where the context has ended.
func OpenDeep(ctx context.Context, rows, columns, hidden int, constant bool, leak float64) (*Deep, error) {
	r := Rows{N: rows, Inputs: columns + 1, Outputs: columns * hidden, Hidden: hidden, Deep: true, Constant: constant, Leak: leak}
	p, err := takeOwn(ctx, &Problem{D: columns, Bits: 64, Batch: 1, Rows: &r})
	if p == nil {
		return nil, err
	}
	return &Deep{place: p, rows: r}, nil
}

// Eval returns the value of a batch at theta, and overwrites grad with its gradient. Where a number is not finite the error matches solve.ErrStuck.
func (d *Deep) Eval(grad, theta []float64, batch *matrix.Dense[float64]) (float64, error) {
	d.table = appendOnes(d.table[:0], batch, false)
	v, err := d.values([][]byte{raw(theta), raw(d.table)}, [][]byte{raw(grad)})
	if err == nil && !finite(grad) {
		err = solve.ErrStuck
	}
	return v, err
}
