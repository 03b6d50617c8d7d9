package acyclic

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/matrix"
)

// Analytic is the family of power series with coefficients of one's choice,
//
//	h(W) = Σ_{k=1..K} c_k tr(Aᵏ),   ∇h = 2 W ∘ Σ_{k=1..K} k c_k (Aᵀ)ᵏ⁻¹,   c_k ≥ 0.
//
// With K ≥ d and c_1, …, c_d > 0 it is zero exactly on acyclic graphs; a coefficient of zero hides the cycles of its length
// from it (their multiples may still be seen). Reference: Wei, Gao and Yu, DAGs with no fears, NeurIPS 2020, Theorem 1; Zhang
// et al., Analytic DAG constraints for differentiable DAG learning, ICLR 2025.
//
// Large coefficients of long cycles keep the gradient from vanishing, and make h overflow sooner: Geometric's are 1, those of
// h_exp fall as 1/k!, Logarithm's as 1/k.
//
// Value and gradient are two polynomials in the same powers. Both go through Paterson and Stockmeyer's scheme: B², …, B^s once,
// then Horner's rule in B^s for each; s-1 + 2(⌈K/s⌉-1) products, 9 at K = 16. Domain: every W for which the series
// does not overflow. The zero value has c_k = 1 and K = d, and is ready to use.
type Analytic[T matrix.Float] struct {
	Coefficient func(k int) float64 // c_k, k = 1 … K; nil means 1
	K           int                 // where the series ends; 0 means d
	Threads     int                 // threads of one product; 0 and 1 mean one

	ws   workspace[T]
	sp   sparse[T]
	coef []float64 // c_1 … c_K
}

// Logarithm has the coefficients 1/k of -log det(I - A): h is the constraint of DAGMA at s = 1, cut after K terms, which makes it
// finite everywhere.
func Logarithm(k int) float64 { return 1 / float64(k) }

// Factorial has the coefficients 1/k! of tr(exp A) - d.
func Factorial(k int) float64 {
	f := 1.0
	for i := 2; i <= k; i++ {
		f /= float64(i)
	}
	return f
}

// Eval returns h(w); if grad is not nil it is overwritten with the gradient.
func (c *Analytic[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	d := square(grad, w)
	k := order(c.K, d)
	if err := c.coefficients(k); err != nil {
		return math.Inf(1), err
	}
	if h, done, err := c.sp.eval(grad, w, c, c.Threads); err != nil {
		return h, err
	} else if done {
		return finish("the power series", h)
	}
	return c.block(grad, w, d)
}

func (c *Analytic[T]) plan(d, _ int, _ float64) (terms, products int) {
	return order(c.K, d), c.Products(d)
}

func (c *Analytic[T]) coefficient(_, k int) float64 { return c.coef[k-1] }

// block is the dense form on w, a graph of d nodes or a component of one.
func (c *Analytic[T]) block(grad, w *matrix.Dense[T], _ int) (float64, error) {
	k, m := len(c.coef), w.Rows
	s := planPair(k)
	bufs := c.ws.at(m, s+4)
	pow := bufs[:s]
	matrix.SquareT(pow[0], w)
	powers(pow, c.Threads)
	value, spare := c.polynomial(pow, bufs[s], bufs[s+1], false)
	slope, _ := c.polynomial(pow, bufs[s+2], bufs[s+3], true)
	h := c.coef[0]*pow[0].Trace() + chain(nil, w, value, 0, spare.Data, c.Threads)
	if g := chain(grad, w, slope, T(c.coef[0]), spare.Data, c.Threads); g-g != 0 {
		h = math.Inf(1)
	}
	return finish("the power series", h)
}

// coefficients fills coef for K = k and checks it.
func (c *Analytic[T]) coefficients(k int) error {
	if len(c.coef) == k {
		return nil
	}
	c.coef = c.coef[:0]
	for i := 1; i <= k; i++ {
		v := 1.0
		if c.Coefficient != nil {
			v = c.Coefficient(i)
		}
		if !(v >= 0) || math.IsInf(v, 0) {
			c.coef = c.coef[:0]
			return fmt.Errorf("coefficient %d of the power series is %v, want a number that is not negative", i, v)
		}
		c.coef = append(c.coef, v)
	}
	return nil
}

// polynomial returns Σ_{1≤j<K} p_j B^j with p_j = c_{j+1}, or (j+1) c_{j+1} for the slope, and the buffer that is left. The term
// of the identity, p_0, is left out, as in Geometric.horner.
func (c *Analytic[T]) polynomial(pow []*matrix.Dense[T], acc, next *matrix.Dense[T], slope bool) (sum, free *matrix.Dense[T]) {
	s, k := len(pow), len(c.coef)
	at := func(j int) T {
		if slope {
			return T(float64(j+1) * c.coef[j])
		}
		return T(c.coef[j])
	}
	blocks := (k + s - 1) / s
	for b := blocks - 1; b >= 0; b-- {
		next.Zero()
		for i := 1; i < min(s, k-s*b); i++ {
			add(next, at(s*b+i), pow[i-1])
		}
		if b > 0 {
			addDiagonal(next, at(s*b))
		}
		if b < blocks-1 {
			matrix.MulAdd(next, pow[s-1], acc, c.Threads)
		}
		acc, next = next, acc
	}
	return acc, next
}

// planPair returns the block length with the fewest products for two polynomials of k coefficients.
func planPair(k int) int {
	s, least := 1, math.MaxInt
	for t := 1; t <= k && t*t <= 8*k; t++ {
		if n := t - 1 + 2*((k+t-1)/t-1); n < least {
			s, least = t, n
		}
	}
	return s
}

// Products returns the number of d×d products of one Eval.
func (c *Analytic[T]) Products(d int) int {
	k := order(c.K, d)
	s := planPair(k)
	return s - 1 + 2*((k+s-1)/s-1)
}
