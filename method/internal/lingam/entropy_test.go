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
		if got, want := entropyLess(u), fromMeans(cosh, odd); math.Abs(got-want) > 1e-5*(1+want) {
			t.Errorf("by the table %v, by the functions %v", got, want)
		}
	}
	if a, b := lnCosh(0.3), math.Log(math.Cosh(0.3)); math.Abs(a-b) > 1e-15 {
		t.Errorf("ln cosh 0.3 = %v, want %v", a, b)
	}
}
