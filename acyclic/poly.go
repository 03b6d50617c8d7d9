package acyclic

import (
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Poly is the power-sum constraint
//
//	h(W) = Σ_{k=1..d} tr((W∘W)^k),   ∇h = 2 W ∘ Σ_{k=1..d} k (Aᵀ)^{k-1},
//
// zero exactly on acyclic graphs (Theorem 1 of the paper). It costs d-1 products, O(d⁴), and serves as the
// reference implementation. Geometric gives the same value in O(log d) products. Domain: every W whose powers
// do not overflow. The zero value is ready to use.
type Poly[T matrix.Float] struct {
	Threads int // threads of one product; 0 and 1 mean one

	ws workspace[T]
	sp sparse[T]
}

// Eval returns h(w); if grad is not nil it is overwritten with the gradient.
func (c *Poly[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	square(grad, w)
	return c.sp.eval("h_poly", grad, w, c, c.Threads)
}

// block evaluates the dense form with powers up to k.
func (c *Poly[T]) block(grad, w *matrix.Dense[T], k int) (float64, error) {
	d, last := w.Rows, k
	bufs := c.ws.at(d, 4)
	b, power, next, q := bufs[0], bufs[1], bufs[2], bufs[3]
	matrix.SquareT(b, w)
	power.CopyFrom(b)
	q.Zero()
	h := b.Trace()
	for k := 2; k <= last; k++ {
		vec.Axpy(q.Data, T(k), power.Data) // k·B^{k-1}
		matrix.Mul(next, power, b, c.Threads)
		power, next = next, power
		h += power.Trace()
	}
	chained := chain(grad, w, q, 1, next.Data, c.Threads)
	if chained-chained != 0 {
		h = chained
	}
	return finish("h_poly", h)
}

func (c *Poly[T]) plan(d int, _ float64) (terms, products int) { return d, d - 1 }

func (c *Poly[T]) coefficient(int) float64 { return 1 }

// Products returns the number of d×d products of one Eval.
func (c *Poly[T]) Products(d int) int { return max(d-1, 0) }
