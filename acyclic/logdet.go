package acyclic

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/matrix"
)

// LogDet is the log-determinant constraint of DAGMA,
//
//	h(W) = -log det(sI - A) + d log s,   ∇h = 2 W ∘ (sI - A)⁻ᵀ.
//
// Domain: the W whose A = W∘W has a spectral radius below s, which is where sI - A is an M-matrix. There h ≥ 0, and h = 0
// exactly on acyclic graphs. Elimination without exchanges has positive pivots there and nowhere else, so Eval
// notices at the first pivot that is not; it then returns an error matching ErrDomain.
//
// Only the amounts that elimination takes from the diagonal are kept, not the diagonal itself. All numbers are then sums and
// products of nonnegative ones, and with e_k for what was taken from pivot k
//
//	h = -Σ_k log(1 - e_k/s)
//
// is exactly zero on a DAG and loses no digits near one. Cost: 2d³ flops, one product's worth, nearly all of it in products:
// the inverse by halves. Reference: Bello, Aragam and Ravikumar, DAGMA, NeurIPS 2022, Theorem 1.
//
// The zero value has s = 1 and is ready to use.
type LogDet[T matrix.Float] struct {
	S       float64 // bound of the spectral radius of A; 0 means 1
	Threads int     // threads of one product; 0 and 1 mean one

	ws workspace[T]
	sp sparse[T]
	el eliminationMemory[T]
}

// Eval returns h(w); if grad is not nil it is overwritten with the gradient.
func (c *LogDet[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	d := square(grad, w)
	if h, done, err := c.sp.eval(grad, w, c, c.Threads); err != nil || done {
		return h, err
	}
	return c.block(grad, w, d)
}

// plan asks for the dense form on each component: the series has no end.
func (c *LogDet[T]) plan(_, _ int, _ float64) (terms, products int) { return math.MaxInt32, 1 }

func (c *LogDet[T]) coefficient(_, _ int) float64 {
	panic("acyclic: the log-determinant is no series here")
}

// block is the dense form: sI - A of the whole graph has the determinants of its components as factors.
func (c *LogDet[T]) block(grad, w *matrix.Dense[T], _ int) (float64, error) {
	d, s := w.Rows, c.S
	switch {
	case s == 0:
		s = 1
	case !(s > 0) || math.IsInf(s, 0):
		panic(fmt.Sprintf("acyclic: S = %v, want a positive number, or 0 for 1", c.S))
	}
	x := grad // where it can be: one matrix less in the caches
	if grad == nil || !grad.Contiguous() {
		x = c.ws.at(d, 2)[1]
	}
	spare := c.ws.at(d, 1)[0]
	matrix.SquareT(x, w)
	e := elimination[T]{x: x, spare: spare, s: T(s), threads: c.Threads, mem: &c.el}
	if !e.invert(0, d) {
		return math.Inf(1), fmt.Errorf("h_logdet: the spectral radius of W∘W is not below s = %g: %w; take a shorter step or a larger s", s, ErrDomain)
	}
	if g := chain(grad, w, x, 0, spare.Data, c.Threads); g-g != 0 {
		return math.Inf(1), fmt.Errorf("h_logdet: the inverse of sI - W∘W overflows: %w; take a shorter step or a larger s", ErrDomain)
	}
	return e.value(), nil
}

// Products returns the number of d×d products of one Eval.
func (c *LogDet[T]) Products(int) int { return 1 }
