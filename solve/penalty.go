package solve

import (
	"math"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// L1 is the penalty λ Σ|w|. Its subgradient at zero is 0, as in automatic differentiation.
type L1[T matrix.Float] struct{ Lambda float64 }

// AddGrad adds λ sign(w) to grad and returns the penalty.
func (l L1[T]) AddGrad(grad, w *matrix.Dense[T]) float64 { return addStretches(l, grad, w) }

func (l L1[T]) stretch(grad, w []T) float64 { return l.Lambda * vec.AddL1(grad, T(l.Lambda), w) }

// Kink returns λ: the derivative jumps by 2λ at zero.
func (l L1[T]) Kink() float64 { return l.Lambda }

// MCP is the minimax concave penalty (Zhang 2010) with width γ:
//
//	Σ λ(|w| - w²/(2γ)) for |w| ≤ γ, λγ/2 beyond;   derivative λ max(0, 1 - |w|/γ) sign(w).
//
// It shrinks small weights to zero as L1 does but does not bias weights beyond γ.
type MCP[T matrix.Float] struct{ Lambda, Width float64 }

// AddGrad adds the derivative. With c = w clamped to [-γ, γ] it is λ sign(w) - λ c/γ, and the value is λ Σ(|c|
// - c²/(2γ)). This form has no branch on the sign of w, which is unpredictable. Few weights are beyond γ, so
// that branch is predictable.
func (p MCP[T]) AddGrad(grad, w *matrix.Dense[T]) float64 { return addStretches(p, grad, w) }

func (p MCP[T]) stretch(grad, w []T) float64 {
	width, slope := T(p.Width), T(p.Lambda/p.Width)
	vec.AddL1(grad, T(p.Lambda), w)
	abs, squares := 0.0, 0.0
	grad = grad[:len(w)]
	for j, v := range w {
		if v > width {
			v = width
		} else if v < -width {
			v = -width
		}
		grad[j] -= slope * v
		c := float64(v)
		abs += math.Abs(c)
		squares += c * c
	}
	return p.Lambda * (abs - squares/(2*p.Width))
}

// Kink returns λ, as for L1: the rest of MCP is smooth.
func (p MCP[T]) Kink() float64 { return p.Lambda }

// stretched is a penalty that is a sum over entries, so several threads can compute blocks of it.
type stretched[T matrix.Float] interface {
	// stretch adds the derivatives at w to grad and returns the value, both for one block of entries.
	stretch(grad, w []T) float64
}

func addStretches[T matrix.Float](p stretched[T], grad, w *matrix.Dense[T]) float64 {
	sum := 0.0
	if !grad.Contiguous() || !w.Contiguous() {
		for i := range w.Rows {
			sum += p.stretch(grad.Row(i), w.Row(i))
		}
		return sum
	}
	n := w.Rows * w.Cols
	for lo := 0; lo < n; lo += gemm.Stretch {
		hi := min(lo+gemm.Stretch, n)
		sum += p.stretch(grad.Data[lo:hi], w.Data[lo:hi])
	}
	return sum
}
