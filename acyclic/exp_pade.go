package acyclic

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// ExpPade is h_exp by the textbook route: the [q/q] Padé approximant of exp with scaling and
// squaring (Higham 2005), q = 13 in float64 and 7 in float32,
//
//	exp(B/2^s) ≈ (V - U)⁻¹ (V + U),   U odd, V even part,   then s squarings.
//
// It is kept as a checked alternative to Exp: about the same cost (6 products, one LU solve,
// the squarings), but h = tr(exp) - d cancels, so on a DAG it is zero only to d·ε. Domain as
// Exp. The zero value is ready to use.
type ExpPade[T matrix.Float] struct {
	Threads int // threads of one product; 0 and 1 mean one

	ws workspace[T]
	lu matrix.LU[T]
}

// Coefficients b_k of the approximants and their radii θ: Higham, The scaling and squaring method
// for the matrix exponential revisited, SIAM J. Matrix Anal. Appl. 26 (2005), Table 2.3 and Section 2.
var (
	pade13 = [...]float64{
		64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
		10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
	}
	pade7 = [...]float64{17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}
)

const (
	theta13 = 5.371920351148152 // float64
	theta7  = 3.925724783138660 // float32
)

// Eval returns h(w); if grad is not nil it is overwritten with the gradient.
func (c *ExpPade[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	d := square(grad, w)
	coef, theta := pade13[:], theta13
	if single[T]() {
		coef, theta = pade7[:], theta7
	}
	bufs := c.ws.at(d, 7)
	b, u, v, x := bufs[0], bufs[4], bufs[5], bufs[6]
	matrix.SquareT(b, w)
	norm := norm1(b)
	if math.IsInf(norm, 0) || math.IsNaN(norm) || norm > 1e6 {
		return finish("h_exp", math.Inf(1))
	}
	squarings := 0
	if norm > theta {
		squarings = int(math.Ceil(math.Log2(norm / theta)))
		vec.Scale(b.Data, T(math.Ldexp(1, -squarings)), b.Data)
	}
	c.parts(bufs, coef)

	// (V - U) E = V + U
	for i, odd := range u.Data {
		even := v.Data[i]
		x.Data[i] = even - odd
		v.Data[i] = even + odd
	}
	c.lu.Threads = c.Threads
	if err := c.lu.Factor(x); err != nil {
		return math.Inf(1), fmt.Errorf("h_exp: %w: %w", err, ErrDomain)
	}
	c.lu.Solve(v, v)
	e, next := v, u
	for range squarings {
		matrix.Mul(next, e, e, c.Threads)
		e, next = next, e
	}
	h := e.Trace() - float64(d)
	if g := chain(grad, w, e, 0, next.Data, c.Threads); g-g != 0 {
		h = g
	}
	return finish("h_exp", h)
}

// parts fills bufs[4] = U and bufs[5] = V, the odd and even part of the numerator of the
// approximant at B = bufs[0].
func (c *ExpPade[T]) parts(bufs []*matrix.Dense[T], coef []float64) {
	b, b2, b4, b6, u, v, x := bufs[0], bufs[1], bufs[2], bufs[3], bufs[4], bufs[5], bufs[6]
	matrix.Mul(b2, b, b, c.Threads)
	matrix.Mul(b4, b2, b2, c.Threads)
	matrix.Mul(b6, b4, b2, c.Threads)
	// even writes Σ_i coef[k+2i] B^{2i} for i = 0..3.
	even := func(dst *matrix.Dense[T], k int) {
		vec.Lin3(dst.Data, T(coef[k+2]), b2.Data, T(coef[k+4]), b4.Data, T(coef[k+6]), b6.Data)
		addDiagonal(dst, T(coef[k]))
	}
	even(v, 0)
	even(x, 1)
	if len(coef) == 14 { // degree 13: add B⁶·(c₈B² + c₁₀B⁴ + c₁₂B⁶), and the same with odd indices
		vec.Lin3(u.Data, T(coef[8]), b2.Data, T(coef[10]), b4.Data, T(coef[12]), b6.Data)
		matrix.MulAdd(v, b6, u, c.Threads)
		vec.Lin3(u.Data, T(coef[9]), b2.Data, T(coef[11]), b4.Data, T(coef[13]), b6.Data)
		matrix.MulAdd(x, b6, u, c.Threads)
	}
	matrix.Mul(u, b, x, c.Threads)
}
