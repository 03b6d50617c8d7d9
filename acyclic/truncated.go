package acyclic

import (
	"cmp"
	"math"

	"github.com/polydag/polydag/matrix"
)

// Truncated is truncated matrix power iteration, TMPI (Zhang, Ng, Gong, Liu, Abbasnejad, Gong, Zhang and Shi,
// Truncated matrix power iteration for differentiable DAG learning, NeurIPS 2022),
//
//	h(W) = Σ_{k=1..K} tr(Aᵏ),   ∇h = 2 W ∘ Σ_{k=1..K} k (Aᵀ)ᵏ⁻¹,
//
// where K is the first power of two with no entry of A^K above Eps, or with K ≥ d. Near a DAG without long
// paths of large weights, the powers vanish quickly and K is small. The omitted terms are of the size of Eps: h
// jumps by that amount when K changes, and a cycle of small weights can have h = 0. With K ≥ d the zeros are
// exactly the acyclic graphs.
//
// The sums are computed by doubling, as in Geometric, with three products per doubling from K = 1 on. If the
// powers do not vanish, the authors' code stops at d; here K may exceed d. Domain: every W whose K-th power
// does not overflow. The zero value is ready to use.
type Truncated[T matrix.Float] struct {
	Eps     float64 // 0 means 1e-6, as in the authors' code
	Threads int     // threads of one product; 0 and 1 mean one

	ws workspace[T]
}

// Eval returns h(w); if grad is not nil it is overwritten with the gradient.
func (c *Truncated[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	d, eps := square(grad, w), c.Least()
	bufs := c.ws.at(d, 6)
	b, p, sum, der, x, y := bufs[0], bufs[1], bufs[2], bufs[3], bufs[4], bufs[5]
	matrix.SquareT(b, w)
	p.CopyFrom(b)
	sum.Zero()
	der.Zero()
	for m := 1; m < d && !(largest(p.Data) <= eps); m *= 2 { // NaN continues, and finish reports it
		double(sum, der, p, x, y, m, c.Threads)
		matrix.Mul(x, p, p, c.Threads)
		p, x = x, p
	}
	h := b.Trace() + chain(nil, w, sum, 1, x.Data, c.Threads)
	if g := chain(grad, w, der, 1, x.Data, c.Threads); g-g != 0 {
		h = math.Inf(1)
	}
	return finish("h_tmpi", h)
}

// Least returns Eps, or its default if Eps is 0.
func (c *Truncated[T]) Least() float64 { return cmp.Or(c.Eps, 1e-6) }
