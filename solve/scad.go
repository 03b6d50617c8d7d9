package solve

import (
	"math"

	"github.com/polydag/polydag/matrix"
)

// SCAD is the smoothly clipped absolute deviation (Fan and Li 2001) with a > 2: for t = |w|
//
//	λt up to λ,   (2aλt - t² - λ²)/(2(a-1)) up to aλ,   λ²(a+1)/2 beyond;
//	derivative λ, (aλ - t)/(a-1), 0, times sign(w).
//
// Like MCP it is L1 near zero and leaves strong weights alone; it begins to give way only at λ. Fan and Li propose a = 3.7.
type SCAD[T matrix.Float] struct{ Lambda, A float64 }

// AddGrad adds the derivative.
func (p SCAD[T]) AddGrad(grad, w *matrix.Dense[T]) float64 {
	sum := 0.0
	for i := range w.Rows {
		g := grad.Row(i)
		for j, v := range w.Row(i) {
			value, slope := p.at(math.Abs(float64(v)))
			sum += value
			g[j] += T(slope) * sign(v)
		}
	}
	return sum
}

// at returns value and derivative at t ≥ 0.
func (p SCAD[T]) at(t float64) (value, slope float64) {
	switch a, l := p.A, p.Lambda; {
	case t <= l:
		return l * t, l
	case t <= a*l:
		return (2*a*l*t - t*t - l*l) / (2 * (a - 1)), (a*l - t) / (a - 1)
	default:
		return l * l * (a + 1) / 2, 0
	}
}

// Kink is λ, as for L1: what SCAD adds to it is smooth.
func (p SCAD[T]) Kink() float64 { return p.Lambda }
