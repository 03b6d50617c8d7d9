package order

import (
	"math"

	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
)

// boundStrength keeps the strength of an edge within what its ends can tell: a column of L levels tells another at most log₂ L
// bits a row, whatever else is known. The mixed model takes indicators of levels as Gaussian, and where parents determine
// a level its likelihood has no bound.
func boundStrength(a *method.Answer, kinds []kind.Column, order []int) {
	strength := a.Strength
	a.Strength = func(from, to int) float64 {
		bits := strength(from, to)
		for _, v := range []int{from, to} {
			if k := kinds[order[v]]; k.Kind.Discrete() && k.Levels > 1 {
				bits = min(bits, math.Log2(float64(k.Levels)))
			}
		}
		return bits
	}
}
