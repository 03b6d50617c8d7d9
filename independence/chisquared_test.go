package independence_test

import (
	"math"
	"testing"

	"github.com/polydag/polydag/independence"
)

// Tail probabilities against exact ones: with two degrees of freedom exp(-x/2), with one erfc(√(x/2)), and with four
// (1 + x/2)·exp(-x/2).
func TestChiSquared(t *testing.T) {
	for _, x := range []float64{1e-3, 0.5, 1, 3, 10, 50, 300} {
		for df, want := range map[float64]float64{2: math.Exp(-x / 2), 1: math.Erfc(math.Sqrt(x / 2)), 4: (1 + x/2) * math.Exp(-x/2)} {
			if got := independence.ChiSquared(x, df); !(math.Abs(got-want) <= 1e-11*want+1e-15) {
				t.Errorf("%v with %v degrees of freedom: %v, want %v", x, df, got, want)
			}
		}
	}
	for _, x := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
		if p := independence.ChiSquared(x, 3); p != 1 {
			t.Errorf("%v: %v, want 1", x, p)
		}
	}
	if p := independence.ChiSquared(math.Inf(1), 3); p != 0 {
		t.Errorf("infinite: %v", p)
	}
}
