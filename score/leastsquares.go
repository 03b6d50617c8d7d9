package score

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// LeastSquares is the score of NOTEARS and of the paper,
//
//	F(W) = 1/(2n) ‖X - XW‖² = ½ tr((I-W)ᵀ S (I-W)),   ∇F = S(W - I),   S = XᵀX/n,
//
// with X centred, so that S is the covariance matrix. Cost: one product, whatever n is. It
// depends on the units of the columns: a graph that it prefers can change when one is rescaled.
type LeastSquares[T matrix.Float] struct {
	s       *matrix.Dense[T]
	threads int
	grad    *matrix.Dense[T] // where the caller wants none
}

// NewLeastSquares copies s, the d×d covariance matrix.
func NewLeastSquares[T matrix.Float](s *matrix.Dense[float64], threads int) *LeastSquares[T] {
	if s.Rows != s.Cols {
		panic(fmt.Sprintf("score: covariance is %d×%d, want square", s.Rows, s.Cols))
	}
	return &LeastSquares[T]{s: matrix.Convert[T](s), threads: threads}
}

// Moments returns S, which is not to be changed.
func (l *LeastSquares[T]) Moments() *matrix.Dense[T] { return l.s }

// Eval returns F(w); if grad is not nil it is overwritten with the gradient. It neither changes
// nor keeps w.
func (l *LeastSquares[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	if grad == nil {
		if l.grad == nil {
			l.grad = matrix.New[T](w.Rows, w.Cols)
		}
		grad = l.grad
	}
	matrix.Mul(grad, l.s, w, l.threads)
	// ½⟨W - I, S(W - I)⟩
	f := 0.0
	for i := range w.Rows {
		vec.Axpy(grad.Row(i), -1, l.s.Row(i))
		f += vec.Dot(w.Row(i), grad.Row(i))
	}
	f = (f - grad.Trace()) / 2
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return math.Inf(1), fmt.Errorf("least squares overflows; scale the data (standardize) or lower the learning rate")
	}
	return f, nil
}
