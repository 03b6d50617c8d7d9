package series

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// has reports whether a series violates stationarity in this way.
func has(y []float64, code string) bool {
	return slices.ContainsFunc(examine(slices.Clone(y)), func(v Violation) bool { return v.Code == code })
}

// plainNoise returns n draws with mean 0 and without a trend.
func plainNoise(rng *rand.Rand, n int) []float64 {
	y := make([]float64, n)
	for t := range y {
		y[t] = rng.NormFloat64()
	}
	centre(y)
	middle, xy, xx := float64(n-1)/2, 0.0, 0.0
	for t, x := range y {
		xy, xx = xy+x*(float64(t)-middle), xx+(float64(t)-middle)*(float64(t)-middle)
	}
	for t := range y {
		y[t] -= xy / xx * (float64(t) - middle)
	}
	return y
}

// A trend counts from a tenth of the variance, and in a short series from five standard errors, which are √((1 + ρ)/(1 - ρ)) times those
// of independent noise.
func TestTrendLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 31))
	for _, c := range []struct {
		n      int
		strict bool // the standard error decides
	}{{3000, false}, {100, true}} {
		noise := plainNoise(rng, c.n)
		n, left, rho := float64(c.n), dot(noise, noise), correlation(noise)
		spread := n * (n*n - 1) / 12
		limit := math.Sqrt(left / 9 / spread) // share = slope²·spread/(slope²·spread + left) = 0.1
		if c.strict {
			limit = 5 * math.Sqrt(left/n/spread*(1+rho)/(1-rho))
		}
		for _, by := range []float64{0.97, 1.03} {
			y := slices.Clone(noise)
			for i := range y {
				y[i] += by * limit * float64(i)
			}
			if got := has(y, Trend); got != (by > 1) {
				t.Errorf("%d points, %v times the limit: %v", c.n, by, got)
			}
		}
	}
}

// A shift of the level counts from one standard deviation between thirds, and a changed variance from a ratio of 2.5.
func TestThirds(t *testing.T) {
	const n = 3000
	rng := rand.New(rand.NewPCG(2, 31))
	noise := make([]float64, n)
	for k := range 3 {
		part := noise[k*n/3 : (k+1)*n/3]
		for i := range part {
			part[i] = rng.NormFloat64()
		}
		size := math.Sqrt(centre(part) / float64(len(part)))
		for i := range part {
			part[i] /= size
		}
	}
	for _, by := range []float64{0.95, 1.05} {
		// With the middle third higher by c, the variance is 1 + 2c²/9.
		c := by / math.Sqrt(1-2./9*by*by)
		shifted, scaled := slices.Clone(noise), slices.Clone(noise)
		for i := n / 3; i < 2*n/3; i++ {
			shifted[i] += c
			scaled[i] *= math.Sqrt(2.5 * by)
		}
		if got := has(shifted, LevelShift); got != (by > 1) {
			t.Errorf("shift by %v standard deviations: %v", by, got)
		}
		if got := has(scaled, ChangingVariance); got != (by > 1) {
			t.Errorf("ratio of variances %v: %v", 2.5*by, got)
		}
	}
}

// A unit root counts if neighbouring values correlate by more than 0.9 and the statistic is above the critical value at 5 %: -2.86, or
// -3.41 after a trend was removed (MacKinnon 1991). The statistic is that of least squares of the change on the last value and change.
func TestUnitRootLimits(t *testing.T) {
	below, above := map[float64]int{}, map[float64]int{}
	correlated := 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 32))
		y, x := make([]float64, 320-200*(seed%5/4)), 0.0 // in a short series the correlation decides
		for i := range y {
			x = 0.95*x + rng.NormFloat64()
			y[i] = x
			if seed%2 == 1 {
				y[i] += 0.2 * float64(i)
			}
		}
		centre(y)
		critical, root, n := -2.86, slices.Clone(y), float64(len(y))
		if has(y, Trend) {
			critical = -3.41
			slope, spread := 0.0, n*(n*n-1)/12
			for i, x := range y {
				slope += x * (float64(i) - (n-1)/2) / spread
			}
			for i := range root {
				root[i] -= slope * (float64(i) - (n-1)/2)
			}
		}
		statistic := changeOnLevel(root)
		near := math.Abs(statistic-critical) < 0.3
		phi := dot(root[1:], root[:len(root)-1]) / dot(root, root)
		want := phi > 0.9 && statistic > critical
		if got := has(y, UnitRoot); got != want {
			t.Errorf("seed %d: unit root %v, statistic %v, correlation %v", seed, got, statistic, phi)
		}
		switch {
		case phi <= 0.9 && statistic > critical:
			correlated++
		case phi > 0.9 && near && want:
			above[critical]++
		case phi > 0.9 && near:
			below[critical]++
		}
	}
	if min(above[-2.86], above[-3.41], below[-2.86], below[-3.41]) < 2 || correlated < 1 {
		t.Errorf("near the limits are %v and %v, %d have a small correlation: the test looks at too little", above, below, correlated)
	}
}

// changeOnLevel regresses the residuals of change and level on the last change on each other (Frisch and Waugh 1933).
func changeOnLevel(y []float64) float64 {
	var z, u, v []float64
	for t := 2; t < len(y); t++ {
		z, u, v = append(z, y[t]-y[t-1]), append(u, y[t-1]), append(v, y[t-1]-y[t-2])
	}
	without := func(x []float64) {
		b := dot(x, v) / dot(v, v)
		for i := range x {
			x[i] -= b * v[i]
		}
	}
	without(z)
	without(u)
	b := dot(z, u) / dot(u, u)
	left := 0.0
	for i := range z {
		left += (z[i] - b*u[i]) * (z[i] - b*u[i])
	}
	return b / math.Sqrt(left/float64(len(z)-3)/dot(u, u))
}

// A season is a frequency with at least three periods, a p-value below 1e-4 by Fisher's test (m - 1)·(1 - g)^(m - 2) of its share g of
// m - 1 frequencies, and a tenth of the variance together with its larger neighbour. The twin sums sines and cosines.
func TestSeasonAgainstFisher(t *testing.T) {
	var yes, no, few int
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 33))
		const n = 64
		x := make([]float64, n)
		periods, size := 1+rng.IntN(20), 1.2*rng.Float64()
		for i := range x {
			x[i] = rng.NormFloat64() + size*math.Sin(2*math.Pi*float64(i*periods)/n)
		}
		power, sum, at := make([]float64, n/2), 0.0, 1
		for k := 1; k < n/2; k++ {
			var a, b float64
			for i, v := range x {
				a, b = a+v*math.Cos(2*math.Pi*float64(i*k)/n), b+v*math.Sin(2*math.Pi*float64(i*k)/n)
			}
			power[k] = a*a + b*b
			if sum += power[k]; power[k] > power[at] {
				at = k
			}
		}
		p := 31 * math.Pow(1-power[at]/sum, 30)
		_, _, got := season(x)
		if want := at >= 3 && p < 1e-4; got != want {
			t.Errorf("seed %d: %v, with p = %v at %d periods", seed, got, p, at)
		}
		switch {
		case at < 3 && p < 1e-4:
			few++
		case p < 1e-4 && p > 3e-5:
			yes++
		case p >= 1e-4 && p < 3e-4:
			no++
		}
	}
	if min(yes, no, few) < 2 {
		t.Errorf("%d below the level, %d above, %d with few periods: the test looks at too little", yes, no, few)
	}
}

// Steps may differ from the median step by 1 %.
func TestToleranceOfSteps(t *testing.T) {
	for late, want := range map[float64]bool{0.009: true, 0.012: false, -0.009: true, -0.012: false} {
		times := []float64{0, 1, 2, 3, 4 + late, 5 + late, 6 + late}
		_, err := Read(context.Background(), opener(dataset.Memory{{Name: "t", Numbers: times}}), Settings{Time: "t"})
		if (err == nil) != want || err != nil && !errors.Is(err, ErrIrregular) {
			t.Errorf("late by %v: %v", late, err)
		}
	}
}
