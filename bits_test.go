package polydag_test

import (
	"math"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// TestBits checks that a correlation r corresponds to -log2(1-r²)/2 bits, at most 8, and that a strength is taken as it is.
func TestBits(t *testing.T) {
	for r, want := range map[float64]float64{0: 0, 0.6: -math.Log2(0.64) / 2, -0.6: -math.Log2(0.64) / 2, 1: 8, 3: 8, math.Sqrt(1 - 0x1p-15): 7.5} {
		if got := (polydag.Edge{Standardized: r}).Bits(); !(math.Abs(got-want) < 1e-9) {
			t.Errorf("standardized effect %v: %v bits, want %v", r, got, want)
		}
	}
	must.Same(t, (polydag.Edge{Strength: 11, Standardized: 0.6}).Bits(), 11, "strength 11")
}
