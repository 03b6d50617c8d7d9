package resample

import (
	"math"
	"testing"
)

// TestBinomial checks the mean and the variance of binomial draws, also if the probability of 0 underflows.
func TestBinomial(t *testing.T) {
	s := Draw{Kind: Bootstrap, Seed: 6}.Start([]int{1})
	for _, c := range []struct {
		n int
		p float64
	}{{10, 0.3}, {1000, 0.001}, {5000, 0.5}} {
		const draws = 4000
		sum, squares := 0.0, 0.0
		for range draws {
			k := float64(s.binomial(c.n, c.p))
			sum += k
			squares += k * k
		}
		mean, want, variance := sum/draws, float64(c.n)*c.p, float64(c.n)*c.p*(1-c.p)
		if !(math.Abs(mean-want) <= 4.5*math.Sqrt(variance/draws)) {
			t.Errorf("n = %d, p = %v: mean %v, want %v", c.n, c.p, mean, want)
		}
		if got := squares/draws - mean*mean; !(math.Abs(got/variance-1) <= 0.15) {
			t.Errorf("n = %d, p = %v: variance %v, want %v", c.n, c.p, got, variance)
		}
	}
}
