package acyclic

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/vec"
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

	ws   workspace[T]
	sp   sparse[T]
	tile [leaf * leaf]T
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
	bufs := c.ws.at(d, 2)
	x, spare := bufs[0], bufs[1]
	matrix.SquareT(x, w)
	e := elimination[T]{x: x, spare: spare, s: T(s), threads: c.Threads, tile: c.tile[:]}
	if !e.invert(0, d) {
		return math.Inf(1), fmt.Errorf("h_logdet: the spectral radius of W∘W is not below s = %g: %w; take a shorter step or a larger s", s, ErrDomain)
	}
	if g := chain(grad, w, x, 0, spare.Data, c.Threads); g-g != 0 {
		return math.Inf(1), fmt.Errorf("h_logdet: the inverse of sI - W∘W overflows: %w; take a shorter step or a larger s", ErrDomain)
	}
	return e.h, nil
}

// Products returns the number of d×d products of one Eval.
func (c *LogDet[T]) Products(int) int { return 1 }

// elimination overwrites a nonnegative matrix x with (sI - x)⁻¹ and adds up h.
type elimination[T matrix.Float] struct {
	x, spare *matrix.Dense[T]
	s        T
	threads  int
	h        float64
	tile     []T // leaf rows of leaf numbers
}

// leaf is the largest block that is inverted column by column.
const leaf = vec.EliminateWidth

// invert does rows and columns i0 … i1-1, and reports whether all pivots are positive. With X₁ the inverse of the first
// half, P = X₁B₁₂ and Q = B₂₁X₁,
//
//	B₂₂ ← B₂₂ + B₂₁P,  X₂ its inverse,  X₁₂ = P X₂,  X₂₁ = X₂Q,  X₁₁ = X₁ + X₁₂Q.
//
// P and Q lie in spare where B₁₂ and B₂₁ lie in x, which leaves the diagonal blocks of spare to the halves.
func (e *elimination[T]) invert(i0, i1 int) bool {
	if i1-i0 <= leaf {
		return e.sweep(i0, i1)
	}
	mid := i0 + (i1-i0+1)/2
	if rest := (mid - i0) % leaf; i1-i0 > 2*leaf && rest > 0 {
		mid -= rest // whole leaves
	}
	if !e.invert(i0, mid) {
		return false
	}
	x11, x22 := view(e.x, i0, mid, i0, mid), view(e.x, mid, i1, mid, i1)
	x12, x21 := view(e.x, i0, mid, mid, i1), view(e.x, mid, i1, i0, mid)
	p, q := view(e.spare, i0, mid, mid, i1), view(e.spare, mid, i1, i0, mid)
	matrix.Mul(&p, &x11, &x12, e.threads)
	matrix.Mul(&q, &x21, &x11, e.threads)
	matrix.MulAdd(&x22, &x21, &p, e.threads)
	if !e.invert(mid, i1) {
		return false
	}
	matrix.Mul(&x12, &p, &x22, e.threads)
	matrix.Mul(&x21, &x22, &q, e.threads)
	matrix.MulAdd(&x11, &x12, &q, e.threads)
	return true
}

// sweep inverts a block of at most leaf rows, one pivot after the other, in a copy with rows of leaf numbers. With pivot s - b_kk
// = 1/x, row k becomes r = x b_k with r_k = x, and each other row i becomes b_i + b_ik r with b_ik x in column k. The latter is what
// b_ik + b_ik (x - 1) comes to, so that one kernel does all columns.
func (e *elimination[T]) sweep(i0, i1 int) bool {
	n := i1 - i0
	block := e.tile[:n*leaf]
	clear(block)
	for i := range n {
		copy(block[i*leaf:], e.x.Row(i0 + i)[i0:i1])
	}
	for k := range n {
		top := block[k*leaf : (k+1)*leaf]
		taken := top[k]
		pivot := e.s - taken
		if !(pivot > 0) {
			return false
		}
		e.h += lost(float64(taken) / float64(e.s))
		inverse := 1 / pivot
		for j := range top {
			top[j] *= inverse
		}
		top[k] = inverse - 1
		vec.Eliminate(block[:k*leaf], k, top)
		vec.Eliminate(block[(k+1)*leaf:], k, top)
		top[k] = inverse
	}
	for i := range n {
		copy(e.x.Row(i0 + i)[i0:i1], block[i*leaf:])
	}
	return true
}

// lost returns -log(1 - x), by its series where x is small, which it nearly always is near a DAG.
func lost(x float64) float64 {
	if x > 0x1p-10 {
		return -math.Log1p(-x)
	}
	return x * (1 + x*(1./2+x*(1./3+x*(1./4+x/5)))) // what is left out is x⁵/6 < 2⁻⁵² of it
}

// view returns rows i0 … i1-1 and columns j0 … j1-1 of m; it shares memory with m.
func view[T matrix.Float](m *matrix.Dense[T], i0, i1, j0, j1 int) matrix.Dense[T] {
	v := matrix.Dense[T]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride}
	if v.Rows > 0 && v.Cols > 0 {
		v.Data = m.Data[i0*m.Stride+j0 : (i1-1)*m.Stride+j1]
	}
	return v
}
