package lingam

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestEntropyAgainstItsFormula compares the table with the functions, and checks a Gaussian.
func TestEntropyAgainstItsFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, draw := range []func() float64{rng.NormFloat64, rng.ExpFloat64, func() float64 { return 20 * rng.NormFloat64() }} {
		u := make([]float64, 3000)
		var cosh, odd float64
		for i := range u {
			u[i] = draw()
			cosh += lnCosh(u[i]) / float64(len(u))
			odd += hump(u[i]) / float64(len(u))
		}
		if got, want := entropyLess(u), fromMeans(cosh, odd); !(math.Abs(got-want) <= 1e-5*(1+want)) {
			t.Errorf("by the table %v, by the functions %v", got, want)
		}
	}
	if a, b := lnCosh(0.3), math.Log(math.Cosh(0.3)); !(math.Abs(a-b) <= 1e-15) {
		t.Errorf("ln cosh 0.3 = %v, want %v", a, b)
	}
}

// TestEntropyConstants derives the constants from the theory: for a function G, with all means over a standard normal u, the negentropy
// is J = (E G - γ)² / (2δ²), where γ = mean of G and δ² is the variance of G that 1, u and u² do not explain (Hyvärinen 1998).
func TestEntropyConstants(t *testing.T) {
	mean := func(f func(u float64) float64) (sum float64) {
		const step = 1e-3
		for u := -12.0; u <= 12; u += step {
			sum += f(u) * math.Exp(-u*u/2) / math.Sqrt(2*math.Pi) * step
		}
		return sum
	}
	unexplained := func(g func(u float64) float64) float64 {
		one, u1 := mean(g), mean(func(u float64) float64 { return u * g(u) })
		u2 := mean(func(u float64) float64 { return (u*u - 1) / math.Sqrt2 * g(u) })
		return mean(func(u float64) float64 { return g(u) * g(u) }) - one*one - u1*u1 - u2*u2
	}
	gamma, even, odd := mean(lnCosh), unexplained(lnCosh), unexplained(hump)
	for _, c := range [][2]float64{{gamma, 0}, {gamma + 0.1, 0}, {gamma - 0.2, 0}, {gamma, 0.3}, {gamma + 0.1, -0.2}} {
		shift := c[0] - gamma
		if got, want := fromMeans(c[0], c[1]), shift*shift/(2*even)+c[1]*c[1]/(2*odd); !(math.Abs(got-want) <= 1e-3*(1+want)) {
			t.Errorf("means %v: %v, want %v", c, got, want)
		}
	}
}
