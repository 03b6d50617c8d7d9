package sim

import (
	"math"
	"testing"
)

// TestNoiseMoments checks mean 0, variance 1, and the third and fourth moments, which distinguish the
// distributions.
func TestNoiseMoments(t *testing.T) {
	for _, c := range []struct {
		kind           NoiseKind
		skew, kurtosis float64
	}{
		{Gaussian, 0, 3},
		{Exponential, 2, 9},
		{Gumbel, 1.1395470994, 5.4},
		{Uniform, 0, 1.8},
		{Laplace, 0, 6},
	} {
		const n = 1_000_000
		rng := Stream(11, StreamNoise)
		var m [5]float64
		for range n {
			v := c.kind.draw(rng)
			for k, p := 1, v; k <= 4; k, p = k+1, p*v {
				m[k] += p / n
			}
		}
		// Four standard errors of the mean; the higher moments spread more.
		for k, want := range []float64{1: 0, 2: 1, 3: c.skew, 4: c.kurtosis} {
			tol := []float64{0, 0.004, 0.012, 0.08, 0.6}[k]
			if k > 0 && !(math.Abs(m[k]-want) <= tol) {
				t.Errorf("%v: moment %d is %v, want %v", c.kind, k, m[k], want)
			}
		}
	}
}

// TestStudentNoise checks Student's t with 5 degrees of freedom, scaled to variance 1: the mean of |t| is
// √5·Γ(3)/(2·√π·Γ(5/2)), and |t| exceeds 4.032 in one of a hundred. Its fourth moment, 9, cannot be estimated
// from this sample size, because the eighth does not exist.
func TestStudentNoise(t *testing.T) {
	const n = 400_000
	rng := Stream(11, StreamNoise)
	var mean, square, size, tail float64
	unit := math.Sqrt(3.0 / 5)
	for range n {
		v := Student.draw(rng)
		mean += v / n
		square += v * v / n
		size += math.Abs(v) / n
		if math.Abs(v) > 4.032*unit {
			tail += 1.0 / n
		}
	}
	want := unit * math.Sqrt(5) * math.Gamma(3) / (2 * math.Sqrt(math.Pi) * math.Gamma(2.5))
	if !(math.Abs(mean) <= 0.007) || !(math.Abs(square-1) <= 0.03) || !(math.Abs(size-want) <= 0.005) || !(math.Abs(tail-0.01) <= 0.001) {
		t.Errorf("mean %v, variance %v, mean size %v (want %v), tail %v", mean, square, size, want, tail)
	}
}

func TestScales(t *testing.T) {
	cfg := Default()
	cfg.Nodes = 2000
	for _, sd := range mustNew(t, cfg).SD() {
		if sd != 1 {
			t.Fatalf("standard deviation %v, want 1", sd)
		}
	}
	cfg.SDLow, cfg.SDHigh = 0.5, 1.5
	sum, least, most := 0.0, math.Inf(1), 0.0
	for _, sd := range mustNew(t, cfg).SD() {
		sum += sd
		least, most = min(least, sd), max(most, sd)
	}
	if least < 0.5 || least > 0.51 || most > 1.5 || most < 1.49 || !(math.Abs(sum/2000-1) <= 0.03) {
		t.Errorf("on [%v, %v] with mean %v", least, most, sum/2000)
	}
}

func TestWeights(t *testing.T) {
	cfg := Default()
	cfg.Nodes, cfg.Degree, cfg.WeightScale = 300, 40, 2
	sum, negative, n := 0.0, 0.0, 0.0
	for _, e := range mustNew(t, cfg).Edges() {
		size := math.Abs(e.Weight)
		if size < 1 || size > 4 {
			t.Fatalf("weight %v, want in ±[1, 4]", e.Weight)
		}
		sum += size
		if e.Weight < 0 {
			negative++
		}
		n++
	}
	if !(math.Abs(sum/n-2.5) <= 0.05) || !(math.Abs(negative/n-0.5) <= 0.03) {
		t.Errorf("mean size %v, %v negative", sum/n, negative/n)
	}
}
