package acyclic

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// Radius is the spectral radius of A, the constraint of NOBEARS (Lee, Danieletto, Miotto, Cherng and Dudley 2019),
//
//	h(W) = ρ(A),   ∇h = 2 W ∘ (u vᵀ) / (uᵀv),   Av = ρv, uᵀA = ρuᵀ,
//
// zero exactly on acyclic graphs: a nonnegative matrix has ρ = 0 only if it is nilpotent. ρ is the largest of the strongly
// connected components' own, and in each of them it is a simple eigenvalue with positive vectors (Perron and Frobenius). So h is
// smooth except where two components tie, and there the gradient is that of the first. At a DAG the gradient is zero and h
// has a kink: a cycle of ℓ edges whose squared weights multiply to p has ρ = p^{1/ℓ}, whose slope has no bound.
//
// The vectors come by power iteration on A + cI from vectors of ones, left and right together, with c half of the estimate so
// far, until the bounds of Collatz and Wielandt, min (Av)_i/v_i ≤ ρ ≤ max (Av)_i/v_i, meet. In a long cycle that takes very
// many steps. After mostSteps of them A + cI is squared again and again instead, until its power is a multiple of v uᵀ: s squares
// are 2^s steps. All of it is in float64. Cost: O(d²) a step of vectors, a product a square. Domain: every W whose squares and ρ
// are finite. The zero value is ready to use.
type Radius[T matrix.Float] struct {
	Threads int // threads of one product; 0 and 1 mean one

	comps components
	ws    workspace[float64] // a component of A over 2^exp, and its powers
	exp   int
	v, u  []float64 // the vectors, and the next ones
	av    []float64
	ua    []float64
	power *matrix.Dense[float64] // the power of A + cI with trace 1, or nil where the vectors say it all
}

const (
	mostSteps   = 200 // of power iteration with vectors
	mostSquares = 60  // 2⁶⁰ steps are enough for every gap between eigenvalues that rounding leaves
)

// Eval returns h(w); if grad is not nil it is overwritten with the gradient.
func (c *Radius[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	square(grad, w)
	load(&c.comps, w, true)
	c.comps.find()
	if grad != nil {
		grad.Zero()
	}
	most, first := 0.0, int32(0)
	for _, end := range c.comps.ends {
		nodes := c.comps.nodes[first:end]
		first = end
		rho := math.Ldexp(c.perron(c.gather(w, nodes)), c.exp)
		if rho-rho != 0 {
			return math.Inf(1), fmt.Errorf("the spectral radius of W∘W overflows: %w; scale the data (standardize) or lower the learning rate", ErrDomain)
		}
		if rho <= most {
			continue
		}
		most = rho
		if grad != nil {
			grad.Zero()
			c.scatter(grad, w, nodes)
		}
	}
	return most, nil
}

// gather returns A on a component, over the power of two of its largest entry.
func (c *Radius[T]) gather(w *matrix.Dense[T], nodes []int32) *matrix.Dense[float64] {
	most := 0.0
	for _, i := range nodes {
		for _, j := range nodes {
			most = max(most, math.Abs(float64(w.At(int(i), int(j)))))
		}
	}
	_, exp := math.Frexp(most)
	c.exp = 2 * exp
	a := c.ws.at(len(nodes), 3)[0]
	for x, i := range nodes {
		for y, j := range nodes {
			v := math.Ldexp(float64(w.At(int(i), int(j))), -exp)
			a.Set(x, y, v*v)
		}
	}
	return a
}

// perron returns ρ of an irreducible a and leaves its vectors in v and u, or the product of them in power.
func (c *Radius[T]) perron(a *matrix.Dense[float64]) float64 {
	m := a.Rows
	c.power = nil
	c.v, c.u = ones(c.v, m), ones(c.u, m)
	c.av, c.ua = ones(c.av, m), ones(c.ua, m)
	tol := 0x1p-52 * (8 + 2*math.Sqrt(float64(m)))
	rho := 0.0
	for range mostSteps {
		clear(c.ua)
		for i := range m {
			row := a.Row(i)
			c.av[i] = vec.Dot(row, c.v)
			vec.Axpy(c.ua, c.u[i], row)
		}
		rho = vec.Dot(c.u, c.av) / vec.Dot(c.u, c.v)
		if spread(c.av, c.v) <= tol && spread(c.ua, c.u) <= tol {
			return rho
		}
		advance(c.v, c.av, rho/2)
		advance(c.u, c.ua, rho/2)
	}
	return c.squares(a, rho/2)
}

// spread is the relative distance of the bounds of Collatz and Wielandt. It is NaN or infinite where an entry of v is zero.
func spread(av, v []float64) float64 {
	lo, hi := math.Inf(1), 0.0
	for i, y := range av {
		r := y / v[i]
		lo, hi = min(lo, r), max(hi, r)
	}
	return (hi - lo) / hi
}

// advance sets v to av + shift·v, with sum 1.
func advance(v, av []float64, shift float64) {
	sum := 0.0
	for i, y := range av {
		v[i] = y + shift*v[i]
		sum += v[i]
	}
	vec.Scale(v, 1/sum, v)
}

// squares finds the limit of (a + shift·I)^(2^s) over its trace, which is v uᵀ/(uᵀv), and returns ρ.
func (c *Radius[T]) squares(a *matrix.Dense[float64], shift float64) float64 {
	bufs := c.ws.at(a.Rows, 3)
	x, y := bufs[1], bufs[2]
	x.CopyFrom(a)
	addDiagonal(x, shift)
	vec.Scale(x.Data, 1/x.Trace(), x.Data)
	for range mostSquares {
		matrix.Mul(y, x, x, c.Threads)
		vec.Scale(y.Data, 1/y.Trace(), y.Data)
		most, change := 0.0, 0.0
		for i, v := range y.Data {
			most, change = max(most, v), max(change, math.Abs(v-x.Data[i]))
		}
		x, y = y, x
		if change <= 0x1p-50*most {
			break
		}
	}
	c.power = x
	return matrix.TraceMul(a, x)
}

// scatter writes 2 w u_i v_j/(uᵀv) where the component has edges.
func (c *Radius[T]) scatter(grad, w *matrix.Dense[T], nodes []int32) {
	norm := 1 / vec.Dot(c.u, c.v)
	for x, i := range nodes {
		from, to := w.Row(int(i)), grad.Row(int(i))
		for y, j := range nodes {
			p := c.u[x] * c.v[y] * norm
			if c.power != nil {
				p = c.power.At(y, x)
			}
			to[j] = T(2 * float64(from[j]) * p)
		}
	}
}

// ones returns a slice of m ones, in the memory of s where it fits.
func ones(s []float64, m int) []float64 {
	if cap(s) < m {
		s = make([]float64, m)
	}
	s = s[:m]
	for i := range s {
		s[i] = 1
	}
	return s
}
