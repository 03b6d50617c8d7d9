package solve

import (
	"math"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
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

// Kink is λ: the derivative jumps by 2λ at zero.
func (l L1[T]) Kink() float64 { return l.Lambda }

// PartialL1 is λ Σ|w| over the marked entries, row after row: the first layer of a network, not what stands behind it.
type PartialL1[T matrix.Float] struct {
	Lambda float64
	Where  []bool
}

// AddGrad adds λ sign(w) to the marked entries. w must be contiguous.
func (l PartialL1[T]) AddGrad(grad, w *matrix.Dense[T]) float64 {
	sum, lambda := 0.0, T(l.Lambda)
	for i, marked := range l.Where {
		if marked {
			v := w.Data[i]
			grad.Data[i] += lambda * sign(v)
			sum += math.Abs(float64(v))
		}
	}
	return l.Lambda * sum
}

// Kink is λ.
func (l PartialL1[T]) Kink() float64 { return l.Lambda }

// Kinked are the entries that have it.
func (l PartialL1[T]) Kinked() []bool { return l.Where }

// MCP is the minimax concave penalty (Zhang 2010) with width γ:
//
//	Σ λ(|w| - w²/(2γ)) for |w| ≤ γ, λγ/2 beyond;   derivative λ max(0, 1 - |w|/γ) sign(w).
//
// It pulls small weights to zero as L1 does and leaves those beyond γ alone, so that strong edges are
// not shrunk and need not be paid for by others.
type MCP[T matrix.Float] struct{ Lambda, Width float64 }

// AddGrad adds the derivative. With c = w clamped to [-γ, γ] it is λ sign(w) - λ c/γ, and the value λ Σ(|c| - c²/(2γ)): no
// branch on w, which is as random as a coin near the end of a run.
func (p MCP[T]) AddGrad(grad, w *matrix.Dense[T]) float64 {
	width, slope := T(p.Width), T(p.Lambda/p.Width)
	sum := 0.0
	for i := range w.Rows {
		row := w.Row(i)
		g := grad.Row(i)[:len(row)]
		vec.AddL1(g, T(p.Lambda), row)
		var abs, squares T // of one row: rounding in T is harmless in a reported value
		for j, v := range row {
			c := max(-width, min(v, width))
			g[j] -= slope * c
			abs += max(c, -c)
			squares += c * c
		}
		sum += float64(abs) - float64(squares)/(2*p.Width)
	}
	return p.Lambda * sum
}

// Kink is λ, as for L1: what MCP adds to it is smooth.
func (p MCP[T]) Kink() float64 { return p.Lambda }
