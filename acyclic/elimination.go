package acyclic

import (
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// elimination overwrites a nonnegative matrix x with (sI - x)⁻¹ and computes h.
type elimination[T matrix.Float] struct {
	x, spare *matrix.Dense[T]
	s        T
	threads  int
	mem      *eliminationMemory[T]

	h    float64 // h of the pivots so far, except those in lost
	lost float64 // 1 - Π(1 - e_k/s) over some of the last pivots
}

type eliminationMemory[T matrix.Float] struct {
	tile  [leaf * leaf]T
	taken [leaf]T
}

// leaf is the largest block that is inverted column by column.
const leaf = vec.SweepWidth

// unit divides the size of the first half unless the halves are leaves, so that products work on whole float32
// vectors.
const unit = 16

// invert inverts rows and columns i0 … i1-1 and reports whether all pivots are positive. With X₁ the inverse of
// the first half, P = X₁B₁₂ and Q = B₂₁X₁,
//
//	B₂₂ ← B₂₂ + B₂₁P,  X₂ its inverse,  X₁₂ = P X₂,  X₂₁ = X₂Q,  X₁₁ = X₁ + X₁₂Q.
//
// P and Q are stored in spare at the positions of B₁₂ and B₂₁ in x, so the recursive calls can use the diagonal
// blocks of spare.
func (e *elimination[T]) invert(i0, i1 int) bool {
	if i1-i0 <= leaf {
		return e.sweep(i0, i1)
	}
	mid := i0 + (i1-i0+1)/2
	if rest := (mid - i0) % unit; i1-i0 > 2*leaf {
		mid -= rest
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

// sweep inverts a block of at most leaf rows in a copy with rows of length leaf.
func (e *elimination[T]) sweep(i0, i1 int) bool {
	n := i1 - i0
	block, taken := e.mem.tile[:n*leaf], e.mem.taken[:n]
	for i := range n {
		row := block[i*leaf : (i+1)*leaf]
		clear(row[copy(row, e.x.Row(i0 + i)[i0:i1]):])
	}
	if vec.Sweep(block, taken, e.s) < n {
		return false
	}
	for i := range n {
		copy(e.x.Row(i0 + i)[i0:i1], block[i*leaf:])
		e.lose(float64(taken[i]) / float64(e.s))
	}
	return true
}

// lose adds -log(1 - x) to h. It keeps the product of 1 - y and 1 - x as 1 - (y + x(1 - y)), a sum of
// nonnegative numbers without cancellation. So one logarithm serves many pivots.
func (e *elimination[T]) lose(x float64) {
	if e.lost += x * (1 - e.lost); e.lost > 0.5 {
		e.h, e.lost = e.value(), 0
	}
}

// value returns h of all pivots so far.
func (e *elimination[T]) value() float64 { return e.h - math.Log1p(-e.lost) }

// view returns rows i0 … i1-1 and columns j0 … j1-1 of m; it shares memory with m.
func view[T matrix.Float](m *matrix.Dense[T], i0, i1, j0, j1 int) matrix.Dense[T] {
	v := matrix.Dense[T]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride}
	if v.Rows > 0 && v.Cols > 0 {
		v.Data = m.Data[i0*m.Stride+j0 : (i1-1)*m.Stride+j1]
	}
	return v
}
