package bcdnets

import "math"

// horseshoe is the prior of a weight (Carvalho, Polson and Scott 2010): normal with a standard deviation of τ times a half-Cauchy variable.
// With z = x²/(2τ²) its density is eᶻE₁(z) / (τ√(2π³)).
type horseshoe struct{ tau float64 }

// newHorseshoe returns the prior for tables of n rows with the given number of edges per column (Piironen and Vehtari 2017).
func newHorseshoe(degree float64, columns int, n float64) horseshoe {
	others := float64(columns - 1)
	if others <= 2*degree {
		return horseshoe{1 / (2 * float64(columns))}
	}
	return horseshoe{2 * degree / (others - 2*degree) / math.Sqrt(n)}
}

// leastZ bounds z from below, because the density is infinite at 0.
const leastZ = 1e-8

// log returns the log density at x and its derivative.
func (h horseshoe) log(x float64) (log, slope float64) {
	z := x * x / (2 * h.tau * h.tau)
	e := scaledE1(max(z, leastZ))
	log = math.Log(e / (h.tau * math.Sqrt(2*math.Pi*math.Pi*math.Pi)))
	if z > leastZ {
		slope = (1 - 1/(z*e)) * x / (h.tau * h.tau)
	}
	return log, slope
}

// scaledE1 returns eᶻE₁(z), where E₁ is the exponential integral: by its series up to 1 and by a continued fraction above (Abramowitz and
// Stegun 5.1.11 and 5.1.22).
func scaledE1(z float64) float64 {
	if z > 1 {
		f := 0.0
		for k := math.Round(5 + 35/z); k >= 1; k-- {
			f = k / (1 + k/(z+f))
		}
		return 1 / (z + f)
	}
	sum, term := -0.57721566490153286-math.Log(z), 1.0
	for k := 1.0; k < 25; k++ {
		term *= -z / k
		sum -= term / k
	}
	return math.Exp(z) * sum
}
