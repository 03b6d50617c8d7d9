package effect

import (
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/score"
)

// hidden computes how strong a hidden confounder of a and b would have to be to explain the coefficient of a in the regression of b
// on a and the set z (Cinelli and Hazlett 2020, "Making sense of sensitivity"). With f² = R²/(1-R²), R² the partial one of a and b
// given z,
//
//	robustness = (√(f⁴ + 4f²) - f²)/2,
//
// and the same with f - c instead of f for the interval, where c is the quantile of the level divided by √(degrees of freedom); where f > 1/c, a
// confounder that explains nothing of one of the two bounds it, and the value is (f² - c²)/(1 + f²). ok is false if it cannot be computed.
func hidden(m *dataset.Moments, a, b int, z []int, level float64) (s *Sensitivity, slope float64, ok bool) {
	slope, left, leftOf, ok := partial(m, b, a, z)
	free := float64(m.N - len(z) - 3)
	if !ok || free < 1 || leftOf <= 0 || left <= 0 {
		return nil, slope, false
	}
	f := math.Abs(slope) * math.Sqrt(leftOf/left)
	critical := normalQuantile((1+level)/2) / math.Sqrt(free)
	r2 := f * f / (1 + f*f)
	rv := robustness(f)
	rvInterval := 0.0
	if f > critical {
		rvInterval = robustness(f - critical)
		if f > 1/critical {
			rvInterval = (f*f - critical*critical) / (1 + f*f)
		}
	}
	s = &Sensitivity{Robustness: &rv, RobustnessInterval: &rvInterval, PartialR2: &r2}
	for k, j := range z {
		rest := append(append([]int{}, z[:k]...), z[k+1:]...)
		withOf, ok1 := partialR2(m, a, j, rest)
		withOn, ok2 := partialR2(m, b, j, append(rest, a))
		if !ok1 || !ok2 || withOf >= 0.5 || withOn >= 1 {
			continue // such a strong confounder would leave no variance
		}
		of := withOf / (1 - withOf)
		shared := withOf * withOf / ((1 - withOf) * (1 - withOf))
		root := (1 + math.Sqrt(shared)) / math.Sqrt(1-shared)
		on := root * root * withOn / (1 - withOn)
		if on >= 1 {
			continue // the bound is not informative
		}
		bias := math.Sqrt(on * of / (1 - of) * left / leftOf)
		s.Benchmarks = append(s.Benchmarks, Benchmark{Name: m.Names[j], WithOf: of, WithOn: on, Slope: slope - math.Copysign(bias, slope)})
	}
	return s, slope, true
}

func robustness(f float64) float64 { return (math.Sqrt(f*f*f*f+4*f*f) - f*f) / 2 }

// partial returns the coefficient of a in the regression of b on a and z, its residual variance, and the residual variance of a
// given z.
func partial(m *dataset.Moments, b, a int, z []int) (slope, left, leftOf float64, ok bool) {
	index := append([]int{b, a}, z...)
	r := m.CorrelationOf(index)
	places := intset.Range(1, len(z)+1+1)
	cov := covarianceOf(m, []int{b, a})
	on, err1 := score.Regress(r, 0, places)
	of := score.Regression{Residual: 1}
	var err2 error
	if len(z) > 0 {
		of, err2 = score.Regress(r, 1, places[1:])
	}
	if err1 != nil || err2 != nil || cov.At(1, 1) <= 0 {
		return 0, 0, 0, false
	}
	return on.Beta[0] * math.Sqrt(cov.At(0, 0)/cov.At(1, 1)), on.Residual * cov.At(0, 0), of.Residual * cov.At(1, 1), true
}

// partialR2 is the partial R² of v with column j given z.
func partialR2(m *dataset.Moments, v, j int, z []int) (float64, bool) {
	slope, left, leftOf, ok := partial(m, v, j, z)
	explained := slope * slope * leftOf
	if !ok || !(explained+left > 0) {
		return 0, false
	}
	return explained / (explained + left), true
}

// eValue returns the E-value of a risk ratio R > 1 (or its inverse): R + √(R·(R-1)) (VanderWeele and Ding 2017).
func eValue(ratio float64) float64 {
	if ratio < 1 {
		ratio = 1 / ratio
	}
	return ratio + math.Sqrt(ratio*(ratio-1))
}
