package daggnn

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/matrix"
)

// away computes the loss of batches on a device. The CPU computes the d × d parts: S = sinh(3A), Y = (I - S)⁻¹,
// and the chain rule through both,
//
//	∂S = ∂S + Yᵀ ∂Y Yᵀ,   ∂A = 3 cosh(3A)∘∂S.
type away struct {
	coding *device.Coding
	noise  *matrix.Dense[float64] // noise of the present step, or nil

	s, y, part, grad *matrix.Dense[float64]
	lu               matrix.LU[float64]
	threads          int
}

func newAway(coding *device.Coding, columns, threads int, noise *matrix.Dense[float64]) *away {
	square := func() *matrix.Dense[float64] { return matrix.New[float64](columns, columns) }
	return &away{coding: coding, noise: noise, s: square(), y: square(), part: square(), grad: square(), lu: matrix.LU[float64]{Threads: threads}, threads: threads}
}

// eval returns the loss of a batch at theta and adds weight times its gradient to grad. If I - S is singular,
// it returns the same error as the tape, and the step is undone.
func (a *away) eval(batch *matrix.Dense[float64], grad, theta []float64, weight float64) (float64, error) {
	d := a.s.Rows
	for e := range a.s.Data {
		a.s.Data[e] = math.Sinh(3 * theta[e])
		a.part.Data[e] = -a.s.Data[e]
	}
	for i := range d {
		a.part.Data[i*d+i]++
	}
	if err := a.lu.Factor(a.part); err != nil {
		return 0, fmt.Errorf("the inverse of I - A: %w", err)
	}
	a.lu.Inverse(a.y)
	out, err := a.coding.Eval(batch, a.noise, a.s, a.y, theta[d*d:])
	if err != nil {
		return 0, network.Away(err)
	}
	matrix.MulTB(a.part, matrix.Of(d, d, out.Y), a.y, a.threads)
	matrix.MulTA(a.grad, a.y, a.part, a.threads)
	for e, g := range out.S {
		grad[e] += weight * (g + a.grad.Data[e]) * 3 * math.Cosh(3*theta[e])
	}
	for k, g := range out.Tail {
		grad[d*d+k] += weight * g
	}
	return out.Loss, nil
}
