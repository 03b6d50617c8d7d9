package sample

import "math"

// A share is the ratio of two weights, which may exceed the range of float64. Up to huge it is the ratio, and
// above that minus its logarithm. It takes 8 bytes, and adding two small ones is one addition.
type share float64

// huge is small enough that the sum of a thousand of them is finite.
const huge = 1e250

// newShare returns e^(a - b).
func newShare(a, b float64) share {
	switch {
	case math.IsInf(a, -1):
		return 0
	case a-b < math.Log(huge):
		return share(math.Exp(a - b))
	}
	return share(b - a)
}

func (s share) log() float64 {
	if s < 0 {
		return float64(-s)
	}
	return math.Log(float64(s))
}

func (s share) plus(t share) share {
	if s >= 0 && t >= 0 {
		return s + t
	}
	return -share(logAdd(s.log(), t.log()))
}

// of returns s divided by t.
func (s share) of(t share) float64 {
	if s >= 0 && t >= 0 {
		return float64(s / t)
	}
	return math.Exp(s.log() - t.log())
}

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
