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
// Domain: the W whose A = W∘W has a spectral radius below s, which is where sI - A is an M-matrix. There h ≥ 0,
// and h = 0 exactly on acyclic graphs. Elimination without pivoting has positive pivots in the domain and
// nowhere else. At the first nonpositive pivot, Eval returns an error that matches ErrDomain.
//
// The code stores the amounts that elimination subtracts from the diagonal, not the diagonal. All numbers are
// then sums and products of nonnegative ones. With e_k the amount subtracted from pivot k,
//
//	h = -Σ_k log(1 - e_k/s)
//
// is exactly zero on a DAG and loses no digits near one. Cost: 2d³ flops, as much as one product. A recursive
// block inverse does nearly all of it in products. Reference: Bello, Aragam and Ravikumar, DAGMA, NeurIPS 2022,
// Theorem 1.
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
	square(grad, w)
	return c.sp.eval("h_logdet", grad, w, c, c.Threads)
}

// plan requests the dense form on each component, because the series is infinite.
func (c *LogDet[T]) plan(int, float64) (terms, products int) { return math.MaxInt32, 1 }

func (c *LogDet[T]) coefficient(int) float64 {
	panic("acyclic: the log-determinant is no series here")
}

// block evaluates the dense form. The determinant of sI - A is the product of those of its components.
func (c *LogDet[T]) block(grad, w *matrix.Dense[T], _ int) (float64, error) {
	d, s := w.Rows, c.S
	switch {
	case s == 0:
		s = 1
	case !(s > 0) || math.IsInf(s, 0):
		panic(fmt.Sprintf("acyclic: S = %v, want a positive number, or 0 for 1", c.S))
	}
	x := grad // reuses grad if possible, to need one matrix less in the caches
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
