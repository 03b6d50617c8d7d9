package independence

import "math"

// ChiSquared returns the probability that χ² with df degrees of freedom exceeds x: the upper incomplete gamma function Q(df/2,
// x/2), by its series below the mean and its continued fraction above (Abramowitz and Stegun 6.5.29, 6.5.31). For NaN, which comes
// from rows that do not allow a test, it returns 1.
func ChiSquared(x, df float64) float64 {
	a, x := df/2, x/2
	if !(x > 0) || !(a > 0) {
		return 1
	}
	if math.IsInf(x, 1) {
		return 0
	}
	lg, _ := math.Lgamma(a)
	front := math.Exp(a*math.Log(x) - x - lg)
	if x < a+1 {
		term, sum := 1/a, 1/a
		for k := 1.0; k < 10_000 && term > sum*1e-16; k++ {
			term *= x / (a + k)
			sum += term
		}
		return max(0, 1-front*sum)
	}
	// The fraction 1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- …))) by Lentz's method.
	const tiny = 1e-300
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for k := 1.0; k < 10_000; k++ {
		an := -k * (k - a)
		b += 2
		d = an*d + b
		if math.Abs(d) < tiny {
			d = tiny
		}
		c = b + an/c
		if math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		step := c * d
		h *= step
		if math.Abs(step-1) < 1e-15 {
			break
		}
	}
	return front * h
}
