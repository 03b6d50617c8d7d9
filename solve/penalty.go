package solve

import (
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/vec"
)

// L1 is λ Σ|w|, with sign(0) = 0 as its subgradient at zero, as automatic differentiation has it.
type L1[T matrix.Float] struct{ Lambda float64 }

// AddGrad adds λ sign(w).
func (l L1[T]) AddGrad(grad, w *matrix.Dense[T]) float64 {
	sum := 0.0
	for i := range w.Rows {
		sum += vec.AddL1(grad.Row(i), T(l.Lambda), w.Row(i))
	}
	return l.Lambda * sum
}

// MCP is the minimax concave penalty (Zhang 2010) with width γ:
//
//	Σ λ(|w| - w²/(2γ)) for |w| ≤ γ, λγ/2 beyond;   derivative λ max(0, 1 - |w|/γ) sign(w).
//
// It pulls small weights to zero as L1 does and leaves those beyond γ alone, so that strong edges are
// not shrunk and need not be paid for by others.
type MCP[T matrix.Float] struct{ Lambda, Width float64 }

// AddGrad adds the derivative.
func (p MCP[T]) AddGrad(grad, w *matrix.Dense[T]) float64 {
	sum := 0.0
	lambda, width, slope := T(p.Lambda), T(p.Width), T(p.Lambda/p.Width)
	for i := range w.Rows {
		g := grad.Row(i)
		for j, v := range w.Row(i) {
			a := max(v, -v)
			if a >= width {
				sum += p.Width / 2
				continue
			}
			if v > 0 {
				g[j] += lambda - slope*a
			} else if v < 0 {
				g[j] -= lambda - slope*a
			}
			sum += float64(a) - float64(a)*float64(a)/(2*p.Width)
		}
	}
	return p.Lambda * sum
}
