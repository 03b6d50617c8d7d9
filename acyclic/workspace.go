package acyclic

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// ErrDomain is matched by every error that a constraint returns: h is not finite at this W,
// either because W lies outside the domain of h or because a power of W∘W overflows.
var ErrDomain = errors.New("outside the domain of the constraint")

// workspace holds the square buffers of one constraint, reused between calls.
type workspace[T matrix.Float] struct{ bufs []*matrix.Dense[T] }

// at returns n buffers for dimension d; their contents are left over from the last call. A buffer has room for the largest d so
// far.
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

// square checks that w is square and that grad, if any, has its shape; it returns d.
func square[T matrix.Float](grad, w *matrix.Dense[T]) int {
	if w.Rows != w.Cols {
		panic(fmt.Sprintf("acyclic: W is %d×%d, want square", w.Rows, w.Cols))
	}
	if grad != nil && (grad.Rows != w.Rows || grad.Cols != w.Cols) {
		panic(fmt.Sprintf("acyclic: gradient is %d×%d for W of %d×%d", grad.Rows, grad.Cols, w.Rows, w.Cols))
	}
	return w.Rows
}

// chain is the last step of every gradient: given Q = ∂h/∂A without its identity term, and
// unit, the factor of that term, it writes grad = 2 W∘(Q + unit·I) and returns tr(A·Qᵀ) = Σ w²q.
// grad may be nil.
func chain[T matrix.Float](grad, w, q *matrix.Dense[T], unit T, scratch []T) float64 {
	sum := 0.0
	for i := range w.Rows {
		row := scratch
		if grad != nil {
			row = grad.Row(i)
		}
		sum += vec.ChainRule(row, w.Row(i), q.Row(i))
		row[i] += 2 * unit * w.At(i, i)
	}
	return sum
}

// finish returns h, or +Inf and an error matching ErrDomain where h is not finite. All terms
// that enter h are sums over every entry of the powers, so an overflow anywhere shows here.
func finish(name string, h float64) (float64, error) {
	if math.IsNaN(h) || math.IsInf(h, 0) {
		return math.Inf(1), fmt.Errorf("%s: a power of W∘W overflows: %w; scale the data (standardize) or lower the learning rate", name, ErrDomain)
	}
	return h, nil
}
