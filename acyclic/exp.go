package acyclic

import (
	"math"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Exp is the constraint of NOTEARS (Zheng et al. 2018),
//
//	h(W) = tr(exp(W∘W)) - d,   ∇h = 2 W ∘ exp(Aᵀ),
//
// zero exactly on acyclic graphs. It is computed as E = exp(B) - I by scaling and squaring:
//
//	E_0 = Σ_{k=1..m} (B/2^s)^k / k!   (Paterson and Stockmeyer),   E_{i+1} = E_i² + 2 E_i,   h = tr(E_s).
//
// Every term is nonnegative because A is, so nothing cancels: a Taylor polynomial, which is a poor choice for
// general matrices, is here accurate to a few units in the last place of each entry, needs no linear solve, and
// is exactly zero on a DAG. The Padé form loses h below d·ε.
//
// The definition itself has a weakness: a cycle of ℓ nodes enters h with the factor 1/ℓ!. A cycle of 20 nodes
// adds less than 1e-17 to h, and one of more than m·2^s nodes adds nothing. h_geo gives every cycle the factor
// 1.
//
// Cost: 2 to 6 products and one for each doubling of ‖A‖₁ beyond the radius in taylorPlans. Domain: every W
// with exp(A) below overflow. The zero value is ready to use.
type Exp[T matrix.Float] struct {
	Threads int // threads of one product; 0 and 1 mean one

	ws  workspace[T]
	sp  sparse[T]
	inv [mostTerms + 1]float64 // 1/k!; the first is 0 until they are computed
}

// mostTerms limits the terms of the sparse form: with more terms the dense form is cheaper at any size.
const mostTerms = 160

// taylorPlan is a degree with its number of products, and the largest ‖A‖₁ at which the first
// omitted term, ‖A‖^m/(m+1)! relative to the first kept one, stays below the unit roundoff.
type taylorPlan struct {
	degree, products   int
	radius64, radius32 float64
}

var taylorPlans = [...]taylorPlan{
	{4, 2, 3.3e-4, 0.051},
	{8, 4, 0.050, 0.61},
	{12, 5, 0.30, 1.63},
	{16, 6, 0.81, 2.87},
}

// Eval returns h(w); if grad is not nil it is overwritten with the gradient.
func (c *Exp[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	square(grad, w)
	if c.inv[0] == 0 {
		c.inv[0] = 1
		for k := 1; k <= mostTerms; k++ {
			c.inv[k] = c.inv[k-1] / float64(k)
		}
	}
	return c.sp.eval("h_exp", grad, w, c, c.Threads)
}

// plan counts the terms of the Taylor series until the remainder, ‖A‖^k/k! and its tail, is below the rounding
// error of the first term.
func (c *Exp[T]) plan(_ int, norm float64) (terms, products int) {
	p, squarings := planTaylor[T](norm)
	products = p.products + squarings
	term := 1.0
	for terms = 1; terms < mostTerms; terms++ {
		if term *= norm / float64(terms); float64(terms) > 2*norm && term < 1e-18 {
			return max(terms, 24), products
		}
	}
	return math.MaxInt32, products
}

func (c *Exp[T]) coefficient(k int) float64 { return c.inv[k] }

// block evaluates the dense form.
func (c *Exp[T]) block(grad, w *matrix.Dense[T], _ int) (float64, error) {
	d := w.Rows
	bufs := c.ws.at(d, 6)
	pow, e, next := bufs[:4], bufs[4], bufs[5]
	matrix.SquareT(pow[0], w)
	norm := norm1(pow[0])
	if math.IsInf(norm, 0) || math.IsNaN(norm) || norm > 1e6 { // exp(A) may still be finite here, but e^{1e6} is of no use
		return finish("h_exp", math.Inf(1))
	}
	plan, squarings := planTaylor[T](norm)
	if squarings > 0 {
		vec.Scale(pow[0].Data, T(math.Ldexp(1, -squarings)), pow[0].Data)
	}
	threads := c.threads(d)
	e, next = c.taylor(pow, plan.degree, e, next, threads)
	for range squarings { // E ← E² + 2E
		vec.Scale(next.Data, 2, e.Data)
		matrix.MulAdd(next, e, e, threads)
		e, next = next, e
	}
	h := e.Trace()
	if g := chain(grad, w, e, 1, next.Data, threads); g-g != 0 {
		h = g
	}
	return finish("h_exp", h)
}

// threads returns the number of threads for d nodes. Between two products, one thread makes passes over the
// output of the others. Two threads took 1.1 times as long as one at d = 100, and 0.72 times at d = 200. So
// each thread must have three times the work that a product alone would need, which is the case for two threads
// from d = 122 on.
func (c *Exp[T]) threads(d int) int {
	return gemm.Threads(c.Threads, float64(d)*float64(d)*float64(d)/3)
}

// planTaylor returns the plan and the number of squarings that need the fewest products.
func planTaylor[T matrix.Float](norm float64) (plan taylorPlan, squarings int) {
	best := math.MaxInt
	for _, p := range taylorPlans {
		radius := p.radius64
		if single[T]() {
			radius = p.radius32
		}
		s := 0
		if norm > radius {
			s = int(math.Ceil(math.Log2(norm / radius)))
		}
		if p.products+s < best {
			best, plan, squarings = p.products+s, p, s
		}
	}
	return plan, squarings
}

// taylor returns Σ_{k=1..m} B^k/k! and the unused buffer. It uses Horner's rule in B⁴ over blocks of four
// coefficients; the top block also includes B⁴ itself. m is a multiple of four.
func (c *Exp[T]) taylor(pow []*matrix.Dense[T], m int, e, next *matrix.Dense[T], threads int) (sum, free *matrix.Dense[T]) {
	inv := &c.inv
	matrix.Mul(pow[1], pow[0], pow[0], threads)
	if m == 4 { // B + B²(1/2 I + B/6 + B²/24): no other power needed
		vec.Scale(next.Data, T(inv[3]), pow[0].Data)
		add(next, T(inv[4]), pow[1])
		vec.Scale(e.Data, 1, pow[0].Data)
		add(e, T(inv[2]), pow[1])
		matrix.MulAdd(e, pow[1], next, threads)
		return e, next
	}
	matrix.Mul(pow[2], pow[1], pow[0], threads)
	matrix.Mul(pow[3], pow[1], pow[1], threads)
	for b := m/4 - 1; b >= 0; b-- {
		f := inv[4*b:]
		vec.Lin3(next.Data, T(f[1]), pow[0].Data, T(f[2]), pow[1].Data, T(f[3]), pow[2].Data)
		if b > 0 {
			addDiagonal(next, T(f[0]))
		}
		if b == m/4-1 {
			add(next, T(f[4]), pow[3])
		} else {
			matrix.MulAdd(next, pow[3], e, threads)
		}
		e, next = next, e
	}
	return e, next
}

// norm1 returns the largest row sum. Every entry is nonnegative here, and a row norm serves as well as a column
// norm.
func norm1[T matrix.Float](m *matrix.Dense[T]) float64 {
	most := 0.0
	for i := range m.Rows {
		sum := 0.0
		for _, v := range m.Row(i) {
			sum += float64(v)
		}
		if sum > most || sum != sum {
			most = sum
		}
	}
	return most
}

func single[T matrix.Float]() bool { return T(1)+T(1e-9) == T(1) }
