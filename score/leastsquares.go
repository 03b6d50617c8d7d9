package score

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/gemm"
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
	f := (l.residual(grad, w) - grad.Trace()) / 2
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return math.Inf(1), fmt.Errorf("least squares overflows; scale the data (standardize) or lower the learning rate")
	}
	return f, nil
}

// residual turns S W into S(W - I) and returns ⟨W, S(W - I)⟩, in one pass.
func (l *LeastSquares[T]) residual(grad, w *matrix.Dense[T]) float64 {
	n := w.Rows * w.Cols
	f := 0.0
	switch {
	case !grad.Contiguous() || !w.Contiguous():
		for i := range w.Rows {
			vec.Axpy(grad.Row(i), -1, l.s.Row(i))
			f += vec.Dot(w.Row(i), grad.Row(i))
		}
	case gemm.Shared(l.threads, n):
		return l.residualShared(grad, w)
	default:
		for lo := 0; lo < n; lo += gemm.Stretch {
			hi := min(lo+gemm.Stretch, n)
			vec.Axpy(grad.Data[lo:hi], -1, l.s.Data[lo:hi])
			f += vec.Dot(w.Data[lo:hi], grad.Data[lo:hi])
		}
	}
	return f
}

func (l *LeastSquares[T]) residualShared(grad, w *matrix.Dense[T]) float64 {
	return gemm.Sum(l.threads, w.Rows*w.Cols, func(lo, hi int) float64 {
		vec.Axpy(grad.Data[lo:hi], -1, l.s.Data[lo:hi])
		return vec.Dot(w.Data[lo:hi], grad.Data[lo:hi])
	})
}
