package dcdfg

import (
	"math"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// factorGraph measures the cycles among the factors: with probabilities U and V of the edges into and out of them it is h of
//
//	M_kl = scale·Σ_j V_kj U_jl,   k ≠ l,
//
// where scale gives the first M a spectral radius of 1. A cycle of columns passes through a cycle of at least two factors, because a column and
// a factor have one edge at most. So h is zero exactly if there is none. It costs O(dm² + m³).
type factorGraph struct {
	d, m      int
	h         solve.Constraint[float64]
	scale     float64
	w, grad   *matrix.Dense[float64]
	into, out []float64 // gradients of h by the probabilities, columns × factors
}

func newFactorGraph(d, m int, h solve.Constraint[float64]) *factorGraph {
	return &factorGraph{
		d: d, m: m, h: h, scale: 9 / (float64(d) * max(1, float64(m-1))), w: matrix.New[float64](m, m), grad: matrix.New[float64](m, m),
		into: make([]float64, d*m), out: make([]float64, d*m),
	}
}

// eval returns h and sets its gradients. u and v have a row of factors for each column.
func (g *factorGraph) eval(u, v []float64) (float64, error) {
	m := g.m
	clear(g.w.Data)
	for j := range g.d {
		to, from := v[j*m:(j+1)*m], u[j*m:(j+1)*m]
		for k, p := range to {
			row := g.w.Row(k)
			for l, q := range from {
				row[l] += p * q
			}
		}
	}
	for k := range m {
		row := g.w.Row(k)
		for l, s := range row {
			row[l] = math.Sqrt(g.scale * s)
		}
		row[k] = 0
	}
	h, err := g.h.Eval(g.grad, g.w)
	if err != nil {
		return h, err
	}
	for k, w := range g.w.Data { // from the gradient by √M to that by the sum
		if w > 0 {
			g.grad.Data[k] *= g.scale / (2 * w)
		} else {
			g.grad.Data[k] = 0
		}
	}
	clear(g.into)
	for j := range g.d {
		for k := range m {
			row, sum, p := g.grad.Row(k), 0.0, v[j*m+k]
			for l, s := range row {
				sum += s * u[j*m+l]
				g.into[j*m+l] += s * p
			}
			g.out[j*m+k] = sum
		}
	}
	return h, nil
}

// acyclic reports whether the edges with probabilities above least have no cycle.
func (g *factorGraph) acyclic(u, v []float64, least float64) bool {
	sure := func(p []float64) []float64 {
		s := make([]float64, len(p))
		for k, v := range p {
			if v > least {
				s[k] = 1
			}
		}
		return s
	}
	h, err := g.eval(sure(u), sure(v))
	return err == nil && h == 0
}
