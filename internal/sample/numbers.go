package sample

import (
	"fmt"
	"math"
)

// logAdd returns ln(eᵃ + eᵇ).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// expDiff returns e^(a - b), or 0 if a is -Inf.
func expDiff(a, b float64) float64 {
	if math.IsInf(a, -1) {
		return 0
	}
	return math.Exp(a - b)
}

// filled returns a slice of n times v.
func filled(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func tooMany(d int) error {
	return fmt.Errorf("%d variables, and the exact posterior goes up to %d; sample it with Run", d, maxExact)
}
