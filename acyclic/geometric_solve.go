package acyclic

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// GeometricSolve is h_geo exactly as the paper computes it,
//
//	h(W) = tr S,   (I - A) S = A - A^{K+1},
//
// The paper differentiates automatically; here the gradient has a closed form. From (1-x) Σ_{j<K} (j+1) x^j =
// Σ_{j<K} x^j - K x^K,
//
//	∇h = 2 W ∘ P(Aᵀ),   (I - A) P = I + S - (K+1) A^K.
//
// It is an alternative to compare with Geometric, which costs less and needs no solve. Cost: the power A^K, one
// LU factorization, two solves. Domain: I - A must be far from singular; at a spectral radius of 1, which
// iterates can reach, Eval returns an error that matches ErrDomain.
type GeometricSolve[T matrix.Float] struct {
	K       int // order of the sum; 0 means d
	Threads int // threads of one product; 0 and 1 mean one

	ws workspace[T]
	lu matrix.LU[T]
}

// Eval returns h(w); if grad is not nil it is overwritten with the gradient.
func (c *GeometricSolve[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	d := square(grad, w)
	k := order(c.K, d)
	bufs := c.ws.at(d, 5)
	b, sum, sys := bufs[0], bufs[1], bufs[2]
	matrix.SquareT(b, w)
	top := power(b, k, bufs[3], bufs[4], c.Threads) // B^K
	matrix.Mul(sum, top, b, c.Threads)              // B^{K+1}
	for i, v := range b.Data {
		sum.Data[i] = v - sum.Data[i]
		sys.Data[i] = -v
	}
	addDiagonal(sys, 1)
	c.lu.Threads = c.Threads
	if err := c.lu.Factor(sys); err != nil {
		return math.Inf(1), fmt.Errorf("h_geo by a solve: I - W∘W is singular: %w: %w; use Geometric", err, ErrDomain)
	}
	c.lu.Solve(sum, sum)
	h := sum.Trace()
	p := sys
	vec.Scale(p.Data, T(-(k + 1)), top.Data)
	add(p, 1, sum)
	addDiagonal(p, 1)
	c.lu.Solve(p, p)
	if g := chain(grad, w, p, 0, b.Data, c.Threads); g-g != 0 {
		h = g
	}
	return finish("h_geo", h)
}

// power returns B^e by square and multiply. The result is b, x or y.
func power[T matrix.Float](b *matrix.Dense[T], e int, x, y *matrix.Dense[T], threads int) *matrix.Dense[T] {
	cur, free := b, x
	step := func(by *matrix.Dense[T]) {
		matrix.Mul(free, cur, by, threads)
		if cur == b {
			cur, free = x, y
		} else {
			cur, free = free, cur
		}
	}
	for bit := digits(e) - 2; bit >= 0; bit-- {
		step(cur)
		if e>>bit&1 == 1 {
			step(b)
		}
	}
	return cur
}
