package acyclic

import (
	"math/bits"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Binomial is the constraint of DAG-GNN (Yu, Chen, Gao and Yu 2019),
//
//	h(W) = tr((I + A/d)^d) - d,   ∇h = 2 W ∘ (I + Aᵀ/d)^{d-1},
//
// zero exactly on acyclic graphs: it is Σ_{k=1..d} C(d,k) d⁻ᵏ tr(Aᵏ). A cycle of ℓ nodes enters with the factor
// C(d,ℓ)/d^ℓ ≤ 1/ℓ!, so long cycles have little weight, as in h_exp.
//
// The power is computed by square and multiply on E_k = (I + B/d)^k - I,
//
//	E_{2k} = E_k² + 2 E_k,   E_{k+1} = E_k + B/d + (B/d) E_k,
//
// whose entries are sums of nonnegative terms: nothing cancels, and h is exactly zero on a DAG. The last step
// to E_d is skipped: its trace follows from E_{d-1}, which the gradient needs anyway. Cost: ⌊log₂(d-1)⌋
// products and one for each further 1 bit of d-1. Domain: every W whose power does not overflow. The zero value
// is ready to use.
type Binomial[T matrix.Float] struct {
	Threads int // threads of one product; 0 and 1 mean one

	ws   workspace[T]
	sp   sparse[T]
	coef []float64 // C(d,k)/d^k, k = 0 … d
}

// Eval returns h(w); if grad is not nil it is overwritten with the gradient.
func (c *Binomial[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	d := square(grad, w)
	if len(c.coef) != d+1 {
		c.coef = append(c.coef[:0], 1)
		for k := 1; k <= d; k++ {
			c.coef = append(c.coef, c.coef[k-1]*float64(d-k+1)/(float64(k)*float64(d)))
		}
	}
	return c.sp.eval("h_bin", grad, w, c, c.Threads)
}

// plan ends the series where its coefficients underflow to zero, at about k = 170.
func (c *Binomial[T]) plan(d int, _ float64) (terms, products int) {
	terms = d
	for terms > 1 && c.coef[terms] == 0 {
		terms--
	}
	return terms, c.Products(d)
}

func (c *Binomial[T]) coefficient(k int) float64 { return c.coef[k] }

// block evaluates the dense form on w, a graph of d nodes or one of its components.
func (c *Binomial[T]) block(grad, w *matrix.Dense[T], d int) (float64, error) {
	m := w.Rows
	bufs := c.ws.at(m, 3)
	b, e, next := bufs[0], bufs[1], bufs[2]
	matrix.SquareT(b, w)
	vec.Scale(b.Data, 1/T(max(d, 1)), b.Data)
	e.Zero()
	if d > 1 {
		e.CopyFrom(b)
	}
	for bit := bits.Len(uint(max(d-1, 0))) - 2; bit >= 0; bit-- {
		vec.Scale(next.Data, 2, e.Data)
		matrix.MulAdd(next, e, e, c.Threads)
		e, next = next, e
		if (d-1)>>bit&1 == 1 {
			next.CopyFrom(e)
			add(next, 1, b)
			matrix.MulAdd(next, b, e, c.Threads)
			e, next = next, e
		}
	}
	h := e.Trace() + b.Trace() + chain(grad, w, e, 1, next.Data, c.Threads)/float64(max(d, 1))
	return finish("h_bin", h)
}

// Products returns the number of d×d products of one Eval.
func (c *Binomial[T]) Products(d int) int {
	if d < 2 {
		return 0
	}
	return bits.Len(uint(d-1)) - 1 + bits.OnesCount(uint(d-1)) - 1
}
