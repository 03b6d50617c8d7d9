package acyclic

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// ErrDomain marks every error of a constraint: h is not finite at this W. Either W lies outside the domain of h
// or a power of W∘W overflows.
var ErrDomain = errors.New("outside the domain of the constraint")

// workspace holds the square buffers of one constraint, reused between calls.
type workspace[T matrix.Float] struct{ bufs []*matrix.Dense[T] }

// at returns n d×d buffers with arbitrary contents. A buffer keeps the capacity of the largest d so far.
func (s *workspace[T]) at(d, n int) []*matrix.Dense[T] {
	for len(s.bufs) < n {
		s.bufs = append(s.bufs, matrix.New[T](d, d))
	}
	for _, b := range s.bufs[:n] {
		if cap(b.Data) < d*d {
			b.Data = make([]T, d*d)
		}
		b.Rows, b.Cols, b.Stride, b.Data = d, d, d, b.Data[:d*d]
	}
	return s.bufs[:n]
}

// square returns d. It panics unless w is square and grad, if not nil, has the same shape.
func square[T matrix.Float](grad, w *matrix.Dense[T]) int {
	if w.Rows != w.Cols {
		panic(fmt.Sprintf("acyclic: W is %d×%d, want square", w.Rows, w.Cols))
	}
	if grad != nil && (grad.Rows != w.Rows || grad.Cols != w.Cols) {
		panic(fmt.Sprintf("acyclic: gradient is %d×%d for W of %d×%d", grad.Rows, grad.Cols, w.Rows, w.Cols))
	}
	return w.Rows
}

// chain computes the last step of every gradient. Given Q = ∂h/∂A without its identity term, and unit, the
// factor of that term, it writes grad = 2 W∘(Q + unit·I) and returns tr(A·Qᵀ) = Σ w²q. grad may be nil. Q and
// scratch, which has the size of Q, are contiguous.
func chain[T matrix.Float](grad, w, q *matrix.Dense[T], unit T, scratch []T, threads int) float64 {
	if !w.Contiguous() || grad != nil && !grad.Contiguous() { // same blocks as the other path, for the same rounding
		dst := matrix.New[T](w.Rows, w.Cols)
		sum := chain(dst, w.Clone(), q, unit, scratch, threads)
		if grad != nil {
			grad.CopyFrom(dst)
		}
		return sum
	}
	n := w.Rows * w.Cols
	if grad != nil && gemm.Shared(threads, n) {
		return chainShared(grad, w, q, unit, threads)
	}
	sum := 0.0
	for lo := 0; lo < n; lo += gemm.Stretch {
		hi := min(lo+gemm.Stretch, n)
		dst := scratch[:hi-lo]
		if grad != nil {
			dst = grad.Data[lo:hi]
		}
		sum += vec.ChainRule(dst, w.Data[lo:hi], q.Data[lo:hi])
	}
	chainDiagonal(grad, w, unit)
	return sum
}

func chainShared[T matrix.Float](grad, w, q *matrix.Dense[T], unit T, threads int) float64 {
	sum := gemm.Sum(threads, w.Rows*w.Cols, func(lo, hi int) float64 {
		return vec.ChainRule(grad.Data[lo:hi], w.Data[lo:hi], q.Data[lo:hi])
	})
	chainDiagonal(grad, w, unit)
	return sum
}

func chainDiagonal[T matrix.Float](grad, w *matrix.Dense[T], unit T) {
	if grad == nil {
		return
	}
	for i := range w.Rows {
		grad.Data[i*grad.Stride+i] += 2 * unit * w.At(i, i)
	}
}

// finish returns h, or +Inf and an error that matches ErrDomain if h is not finite. h sums over every entry of
// the powers, so any overflow makes it non-finite.
func finish(name string, h float64) (float64, error) {
	if math.IsNaN(h) || math.IsInf(h, 0) {
		return math.Inf(1), fmt.Errorf("%s: a power of W∘W overflows: %w; scale the data (standardize) or lower the learning rate", name, ErrDomain)
	}
	return h, nil
}
