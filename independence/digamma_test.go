package independence

import (
	"math"
	"testing"
)

// Reference: R 4.2.2, digamma(c(0.5, 1, 3.7, 10, 25)); the first two are -γ - 2 ln 2 and -γ.
func TestDigamma(t *testing.T) {
	for x, want := range map[float64]float64{0.5: -1.963510026021423, 1: -0.577215664901532, 3.7: 1.167153539361511, 10: 2.251752589066721, 25: 3.198742512851974} {
		if got := digamma(x); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("ψ(%v) = %v, want %v", x, got, want)
		}
	}
}
