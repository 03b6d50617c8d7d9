package acyclic

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/matrix"
)

// Geometric is the power sum truncated at K, evaluated as a matrix polynomial:
//
//	h(W) = Σ_{k=1..K} tr(A^k),   ∇h = 2 W ∘ P(Aᵀ),   P(x) = Σ_{j=0..K-1} (j+1) x^j.
//
// With K = 0 (meaning d) or K ≥ d it is zero exactly on acyclic graphs. With K < d it detects only cycles of at
// most K nodes: the paper uses K = 16 throughout, and a 17-cycle then has h = 0 (the tightness remark after
// Theorem 1). Only a topological sort decides whether a graph is a DAG.
//
// The paper writes the sum as tr((I-A)⁻¹(A - A^{K+1})) (its Eq. 8) and differentiates through the solve; that
// form is GeometricSolve. Geometric needs no solve, so a singular I - A is not a problem. Cost: 6 products at K
// = 16 (Paterson and Stockmeyer 1973), and never more than 3 log₂ K + 4 (doubling). Domain: every W whose K-th
// power does not overflow.
//
// The zero value has K = d and is ready to use.
type Geometric[T matrix.Float] struct {
	K       int // order of the sum; 0 means d
	Threads int // threads of one product; 0 and 1 mean one

	ws      workspace[T]
	sp      sparse[T]
	by      sixteen[T]
	lengths walks
}

// Eval returns h(w); if grad is not nil it is overwritten with the gradient.
func (c *Geometric[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	square(grad, w)
	return c.sp.eval("h_geo", grad, w, c, c.Threads)
}

// block evaluates the dense form on w, a graph of d nodes or one of its components.
func (c *Geometric[T]) block(grad, w *matrix.Dense[T], d int) (float64, error) {
	k := order(c.K, d)
	s, ps := planBlocks(k)
	if ps <= planDoubling(k) {
		return c.horner(grad, w, k, s)
	}
	return c.doubling(grad, w, k)
}

// Products returns the number of d×d products of one Eval.
func (c *Geometric[T]) Products(d int) int {
	k := order(c.K, d)
	_, ps := planBlocks(k)
	return min(ps, planDoubling(k))
}

func (c *Geometric[T]) plan(d int, _ float64) (terms, products int) {
	return order(c.K, d), c.Products(d)
}

func (c *Geometric[T]) coefficient(int) float64 { return 1 }

// order returns K, or d if K is 0.
func order(k, d int) int {
	switch {
	case k < 0:
		panic(fmt.Sprintf("acyclic: K = %d, want at least 1, or 0 for d", k))
	case k == 0:
		return max(d, 1)
	}
	return k
}

// horner evaluates P(B) with the scheme of Paterson and Stockmeyer: it computes B², …, B^s once and applies
// Horner's rule in B^s over blocks of s coefficients,
//
//	P(B) = (…(C_{r-1} B^s + C_{r-2}) B^s + …) B^s + C_0,   C_b = Σ_{i<s} (sb+i+1) B^i.
//
// The value is a weighted sum of traces of the intermediate results; see walks. The identity of C_0 is left out
// of the matrix, and the identities of the other blocks out of their traces. So every number is a sum of
// nonnegative terms, zeros of a DAG stay exact, and nothing cancels.
func (c *Geometric[T]) horner(grad, w *matrix.Dense[T], k, s int) (float64, error) {
	d := w.Rows
	if c.lengths.k != k || c.lengths.s != s {
		c.lengths = newWalks(k, s)
	}
	if k == 16 && s == 4 {
		return c.sixteen(grad, w)
	}
	bufs := c.ws.at(d, s+3) // as few as possible, so that together they fit in the L2 cache
	pow := bufs[:s]         // pow[i] = B^{i+1}
	acc, next, sum := bufs[s], bufs[s+1], bufs[s+2]

	matrix.SquareT(pow[0], w)
	powers(pow, c.Threads)
	acc, next, rungs := c.blocks(pow, acc, next, sum, k)
	along := pow[0].Trace() + chain(grad, w, acc, 1, next.Data, c.Threads)
	next.Zero()
	short := make([]float64, s-1)
	for i, p := range pow[:s-1] {
		short[i] = p.Trace()
		add(next, T(c.lengths.power[i+1]), p)
	}
	return finish("h_geo", c.lengths.sum(along, rungs, matrix.TraceMul(next, sum), short))
}

// blocks runs Horner's rule and returns P(B) - I, the unused buffer, and the weighted sum of the traces of the
// R_b without the identities. It sets sum to the weighted sum of the R_b, b ≥ 1. The weights are those of
// walks.
func (c *Geometric[T]) blocks(pow []*matrix.Dense[T], acc, next, sum *matrix.Dense[T], k int) (p, free *matrix.Dense[T], rungs float64) {
	s := len(pow)
	blocks := (k + s - 1) / s
	sum.Zero()
	for b := blocks - 1; b >= 0; b-- {
		terms := min(s, k-s*b) // coefficients in this block
		first := float64(s*b + 1)
		block(next, pow[:terms-1], first+1)
		if b < blocks-1 {
			matrix.MulAdd(next, pow[s-1], acc, c.Threads)
		}
		rungs += c.lengths.rung[b] * next.Trace()
		if b > 0 {
			addDiagonal(next, T(first))
			add(sum, T(c.lengths.rung[b]), next)
		}
		acc, next = next, acc
	}
	return acc, next, rungs
}

// sixteen is horner for K = 16, the value in the paper.
func (c *Geometric[T]) sixteen(grad, w *matrix.Dense[T]) (float64, error) {
	d := w.Rows
	if !w.Contiguous() {
		w = w.Clone()
	}
	to := grad
	if grad != nil && !grad.Contiguous() {
		to = matrix.New[T](d, d)
	}
	h, err := c.by.eval(to, w, c.ws.at(d, 4), &c.lengths, c.Threads)
	if to != grad {
		grad.CopyFrom(to)
	}
	return h, err
}

// doubling evaluates S_m = Σ_{j<m} B^j and D_m = Σ_{j<m} (j+1) B^j together, along the binary digits of K:
//
//	S_{2m} = S_m + B^m S_m        D_{2m} = D_m + B^m (D_m + m S_m)
//	S_{m+1} = S_m + B^m           D_{m+1} = D_m + (m+1) B^m
//
// Then h = tr(A·S_K) and P = D_K. The matrices hold S and D without their identity terms, as in horner.
func (c *Geometric[T]) doubling(grad, w *matrix.Dense[T], k int) (float64, error) {
	d := w.Rows
	bufs := c.ws.at(d, 12)
	pow := bufs[:leading(k)] // 4 to 7 powers to start from, or all K when K < 8
	b, p, sum, der, x, y := bufs[0], bufs[7], bufs[8], bufs[9], bufs[10], bufs[11]

	matrix.SquareT(b, w)
	powers(pow, c.Threads)
	m := len(pow)
	p.CopyFrom(pow[m-1])
	sum.Zero()
	der.Zero()
	for i, q := range pow[:m-1] { // B^{i+1} enters S_m with 1 and D_m with i+2
		add(sum, 1, q)
		add(der, T(i+2), q)
	}
	for bit := digits(k) - digits(m) - 1; bit >= 0; bit-- {
		more := bit > 0 || k&1 == 1
		double(sum, der, p, x, y, m, c.Threads)
		m *= 2
		if more {
			matrix.Mul(x, p, p, c.Threads)
			p, x = x, p
		}
		if k>>bit&1 == 1 {
			add(sum, 1, p)
			add(der, T(m+1), p)
			m++
			if bit > 0 {
				matrix.Mul(x, p, b, c.Threads)
				p, x = x, p
			}
		}
	}
	h := b.Trace() + chain(nil, w, sum, 1, x.Data, c.Threads)
	if g := chain(grad, w, der, 1, x.Data, c.Threads); g-g != 0 {
		h = math.Inf(1)
	}
	return finish("h_geo", h)
}

// double replaces S_m and D_m by S_2m and D_2m, given p = B^m, with two products. x and y are scratch.
func double[T matrix.Float](sum, der, p, x, y *matrix.Dense[T], m, threads int) {
	// x = B^m(D_m + m S_m) and y = B^m S_m, with the identity terms added back.
	y.CopyFrom(der)
	add(y, T(m), sum)
	matrix.Mul(x, p, y, threads)
	add(x, T(1+m), p)
	matrix.Mul(y, p, sum, threads)
	add(y, 1, p)
	add(der, 1, x)
	add(sum, 1, y)
}
