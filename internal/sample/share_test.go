package sample

import (
	"math"
	"testing"
)

// TestShares checks ratios of weights below and above 1e250, from which on only the logarithm is stored, and their sums and quotients.
func TestShares(t *testing.T) {
	limit := 250 * math.Ln10
	for _, a := range []float64{-800, -3, 0, 5, limit - 1, limit + 1, 2000} {
		s := newShare(a+7, 7)
		if stored := s < 0; stored != (a > limit) {
			t.Errorf("e^%v is stored as a logarithm: %v, want %v", a, stored, a > limit)
		}
		if a > -700 && math.Abs(s.log()-a) > 1e-9 {
			t.Errorf("the logarithm of e^%v is %v", a, s.log())
		}
		for _, b := range []float64{-3, 0, 5, limit - 1, limit + 1, 2000} {
			u := newShare(b, 0)
			high, low := max(a, b), min(a, b)
			if got, want := s.plus(u).log(), high+math.Log1p(math.Exp(low-high)); math.Abs(got-want) > 1e-9*math.Abs(want)+1e-12 {
				t.Errorf("the logarithm of e^%v + e^%v is %v, want %v", a, b, got, want)
			}
			if got, want := s.of(u), math.Exp(a-b); math.Abs(got-want) > 1e-9*want && !(math.IsInf(want, 1) && got > 1e300) {
				t.Errorf("e^%v / e^%v is %v, want %v", a, b, got, want)
			}
		}
	}
	if s := newShare(math.Inf(-1), 3); s != 0 || !math.IsInf(s.log(), -1) {
		t.Errorf("the share of a weight of 0 is %v", s)
	}
	for _, c := range []struct{ a, b, want float64 }{{1, 1, 1 + math.Ln2}, {0, -1e9, 0}, {-1e9, 0, 0}, {2, math.Inf(-1), 2}, {math.Inf(-1), 2, 2}, {math.Inf(-1), math.Inf(-1), math.Inf(-1)}} {
		if got := logAdd(c.a, c.b); got != c.want && !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("ln(e^%v + e^%v) is %v, want %v", c.a, c.b, got, c.want)
		}
	}
	if got := expDiff(math.Inf(-1), math.Inf(-1)); got != 0 {
		t.Errorf("a weight of 0 relative to 0 is %v, want 0", got)
	}
	if got := expDiff(3, 1); math.Abs(got-math.Exp(2)) > 1e-12 {
		t.Errorf("e^3 / e is %v", got)
	}
}
