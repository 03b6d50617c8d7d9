package optimize

import (
	"math"

	"github.com/polydag/polydag/matrix"
)

// PartialL1 is λ Σ|w| over the marked entries, row by row, for example the first layer of a network.
type PartialL1[T matrix.Float] struct {
	Lambda float64
	Where  []bool
}

// AddGrad adds λ sign(w) to the marked entries. w must be contiguous.
func (l PartialL1[T]) AddGrad(grad, w *matrix.Dense[T]) float64 {
	sum, lambda := 0.0, T(l.Lambda)
	for i, marked := range l.Where {
		if marked {
			v := w.Data[i]
			grad.Data[i] += lambda * sign(v)
			sum += math.Abs(float64(v))
		}
	}
	return l.Lambda * sum
}

// Kink returns λ.
func (l PartialL1[T]) Kink() float64 { return l.Lambda }

// Kinked returns the marked entries.
func (l PartialL1[T]) Kinked() []bool { return l.Where }
