package solve

import (
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/vec"
)

// L1 is λ Σ|w|, with sign(0) = 0 as its subgradient at zero, as automatic differentiation has it.
type L1[T matrix.Float] struct{ Lambda float64 }

// AddGrad adds λ sign(w).
func (l L1[T]) AddGrad(grad, w *matrix.Dense[T]) float64 {
	sum := 0.0
	for i := range w.Rows {
		sum += vec.AddL1(grad.Row(i), T(l.Lambda), w.Row(i))
	}
	return l.Lambda * sum
}
