package sample

import (
	"math"
	"math/rand/v2"
	"testing"
)

// slowESS is the effective sample size of one chain by the definition: sums of two autocorrelations up to the first negative one, each
// replaced by the smallest so far (Geyer 1992). It reports whether a sum rose, so that the replacement matters.
func slowESS(x []float64) (ess float64, rose bool) {
	n := float64(len(x))
	mean, variance := meanVariance(x)
	whole := (n - 1) / n * variance
	correlation := func(lag int) float64 {
		sum := 0.0
		for k := lag; k < len(x); k++ {
			sum += (x[k] - mean) * (x[k-lag] - mean)
		}
		return 1 - (variance-sum/(n-1))/whole
	}
	var pairs []float64
	for lag := 0; lag+1 < len(x); lag += 2 {
		pair := correlation(lag) + correlation(lag+1)
		if pair < 0 {
			break
		}
		pairs = append(pairs, pair)
	}
	time := -1.0
	for i := range pairs {
		if i > 0 && pairs[i] > pairs[i-1] {
			rose, pairs[i] = true, pairs[i-1]
		}
		time += 2 * pairs[i]
	}
	return min(n, n/max(time, 1/math.Log10(n))), rose
}

func TestESSAgainstItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	rising := 0
	for range 40 {
		x := make([]float64, 200)
		for i := 1; i < len(x); i++ {
			x[i] = 0.8*x[i-1] + rng.NormFloat64()
		}
		want, rose := slowESS(x)
		if rose {
			rising++
		}
		if got := (trace{x, x}).ess() / 2; !(math.Abs(got-want) <= 1e-9*want) { // equal chains have no variance between them
			t.Errorf("effective sample size %v of each chain, want %v", got, want)
		}
	}
	if rising < 5 {
		t.Errorf("the autocorrelations rise in only %d chains", rising)
	}
}
