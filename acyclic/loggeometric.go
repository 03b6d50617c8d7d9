package acyclic

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// LogGeometric is h_geo made stable,
//
//	g(W) = log(1 + h(W)),   ∇g = ∇h / (1 + h),   h = Σ_{k=1..K} tr(Aᵏ).
//
// Since log(1 + h) rises with h from 0, g is zero exactly where h is: with K = 0 (meaning d) or K ≥ d on the acyclic graphs.
// Near a DAG g is h to first order. Far from one it grows as 2K log‖W‖ where h grows as ‖W‖^{2K}, and its slope along W,
//
//	⟨W, ∇g⟩ = 2 Σ_k k tr(Aᵏ) / (1 + h) ≤ 2K,
//
// is bounded for every W. Every entry of ∂g/∂A is nonnegative, as those of h are, so that descent on g shrinks the edges of cycles.
// There is no damping to choose, none to differentiate, and none that cycles elsewhere would have to share.
//
// Where h itself fits the floating-point numbers g is made of Geometric's value and gradient. Where it does not, the powers and
// sums are kept as mantissas with exponents of their own, through doubling; edges between strongly connected components are
// left out, as they enter no trace. Cost: that of Geometric; beyond overflow up to 4 log₂ K products on top. Domain: every
// finite W. The zero value has K = d and is ready to use.
type LogGeometric[T matrix.Float] struct {
	K       int // order of the sum; 0 means d
	Threads int // threads of one product; 0 and 1 mean one

	geo   Geometric[T]
	comps components
	ws    workspace[T]
}

// Eval returns g(w); if grad is not nil it is overwritten with the gradient.
func (c *LogGeometric[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	d := square(grad, w)
	if grad == nil {
		grad = c.ws.at(d, 8)[7] // whether a gradient is wanted must not decide between the two ways
	}
	c.geo.K, c.geo.Threads = c.K, c.Threads
	h, err := c.geo.Eval(grad, w)
	if err != nil {
		return c.scaled(grad, w, order(c.K, d))
	}
	for i := range d {
		vec.Scale(grad.Row(i), T(1/(1+h)), grad.Row(i))
	}
	if !grad.Finite() {
		return c.scaled(grad, w, order(c.K, d))
	}
	return math.Log1p(h), nil
}

// mantissa is a matrix times a power of two. Its largest entry is kept in [½, 1).
type mantissa[T matrix.Float] struct {
	m   *matrix.Dense[T]
	exp int
}

// normalize moves powers of two from the entries to the exponent. That of a zero matrix is 0.
func (x *mantissa[T]) normalize() {
	most := largest(x.m)
	if most == 0 {
		x.exp = 0
		return
	}
	_, e := math.Frexp(most)
	vec.Scale(x.m.Data, T(math.Ldexp(1, -e)), x.m.Data)
	x.exp += e
}

// errNotFinite is what an infinite or undefined weight leaves.
var errNotFinite = errors.New("a weight is infinite or not a number")

// scaled evaluates h by doubling along the binary digits of K, from K = 1, in mantissas: S = S_m - I and D = D_m - I of
// Geometric.doubling share the exponent of D, whose entries are the larger ones.
func (c *LogGeometric[T]) scaled(grad, w *matrix.Dense[T], k int) (float64, error) {
	d := w.Rows
	if !w.Finite() {
		return math.Inf(1), fmt.Errorf("log(1 + h_geo): %w: %w", errNotFinite, ErrDomain)
	}
	bufs := c.ws.at(d, 8)
	b, shift := c.squared(bufs[0], bufs[1], w)
	if largest(b.m) == 0 { // no cycle
		grad.Zero()
		return 0, nil
	}
	p := mantissa[T]{bufs[1], b.exp}
	p.m.CopyFrom(b.m)
	sum, der := bufs[2], mantissa[T]{m: bufs[3]}
	sum.Zero()
	der.m.Zero()
	x, y := bufs[4], bufs[5]
	m := 1
	for bit := digits(k) - 2; bit >= 0; bit-- {
		c.double(sum, &der, &p, x, y, m)
		m *= 2
		matrix.Mul(x, p.m, p.m, c.Threads)
		p.m, x = x, p.m
		p.exp *= 2
		p.normalize()
		if k>>bit&1 == 1 {
			c.extend(sum, &der, &p, m)
			m++
			matrix.Mul(x, p.m, b.m, c.Threads)
			p.m, x = x, p.m
			p.exp += b.exp
			p.normalize()
		}
	}
	// h = tr(B) + tr(B S)
	log := float64(b.exp)*math.Ln2 + logSum(math.Log(b.m.Trace()), math.Log(matrix.TraceMul(b.m, sum))+float64(der.exp)*math.Ln2)
	g := logSum(0, log)
	c.write(grad, w, &der, g, shift)
	return g, nil
}

// squared writes B = Aᵀ within the components as a mantissa, made of W over 2^shift so that no square overflows.
func (c *LogGeometric[T]) squared(dst, scratch, w *matrix.Dense[T]) (b mantissa[T], shift int) {
	most := 0.0
	for i := range w.Rows {
		for _, v := range w.Row(i) {
			most = max(most, math.Abs(float64(v)))
		}
	}
	_, shift = math.Frexp(most)
	load(&c.comps, w, true)
	c.comps.find()
	for i := range w.Rows {
		from, to := w.Row(i), scratch.Row(i)
		for j, v := range from {
			to[j] = 0
			if c.comps.of[i] == c.comps.of[j] {
				to[j] = T(math.Ldexp(float64(v), -shift))
			}
		}
	}
	matrix.SquareT(dst, scratch)
	b = mantissa[T]{dst, 2 * shift}
	b.normalize()
	return b, shift
}

// double is Geometric's, in mantissas: two products.
func (c *LogGeometric[T]) double(sum *matrix.Dense[T], der, p *mantissa[T], x, y *matrix.Dense[T], m int) {
	y.CopyFrom(der.m)
	add(y, T(m), sum)
	matrix.Mul(x, p.m, y, c.Threads) // times 2^(p.exp + der.exp)
	matrix.Mul(y, p.m, sum, c.Threads)
	// The new exponent is at least that of each of the three terms, so that no factor is above one.
	exp := max(der.exp, p.exp+der.exp, p.exp) + digits(4*m*sum.Rows)
	old, both, power := scale[T](der.exp-exp), scale[T](p.exp+der.exp-exp), scale[T](p.exp-exp)
	for i := range sum.Data {
		sum.Data[i] = old*sum.Data[i] + both*y.Data[i] + power*p.m.Data[i]
		der.m.Data[i] = old*der.m.Data[i] + both*x.Data[i] + power*T(1+m)*p.m.Data[i]
	}
	c.rescale(sum, der, exp)
}

// extend adds B^m to S and (m+1) B^m to D.
func (c *LogGeometric[T]) extend(sum *matrix.Dense[T], der, p *mantissa[T], m int) {
	exp := max(der.exp, p.exp) + digits(2*m)
	old, power := scale[T](der.exp-exp), scale[T](p.exp-exp)
	for i := range sum.Data {
		sum.Data[i] = old*sum.Data[i] + power*p.m.Data[i]
		der.m.Data[i] = old*der.m.Data[i] + power*T(m+1)*p.m.Data[i]
	}
	c.rescale(sum, der, exp)
}

// rescale normalizes D, whose exponent is exp, and S with it.
func (c *LogGeometric[T]) rescale(sum *matrix.Dense[T], der *mantissa[T], exp int) {
	der.exp = exp
	der.normalize()
	vec.Scale(sum.Data, scale[T](exp-der.exp), sum.Data)
}

// write fills grad with 2 W ∘ (I + D)/(1 + h), each entry from logarithms that do not overflow.
func (c *LogGeometric[T]) write(grad, w *matrix.Dense[T], der *mantissa[T], g float64, shift int) {
	ln := float64(shift)*math.Ln2 - g
	unit, factor := 2*math.Exp(ln), 2*math.Exp(ln+float64(der.exp)*math.Ln2)
	for i := range w.Rows {
		from, to, q := w.Row(i), grad.Row(i), der.m.Row(i)
		for j, v := range from {
			to[j] = T(math.Ldexp(float64(v), -shift) * factor * float64(q[j]))
		}
		to[i] += T(math.Ldexp(float64(from[i]), -shift) * unit)
	}
}

// logSum returns log(e^a + e^b).
func logSum(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// scale is 2^e for an e that is at most small: zero where nothing of the term is left.
func scale[T matrix.Float](e int) T { return T(math.Ldexp(1, max(e, -2000))) }
