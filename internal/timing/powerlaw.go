package timing

import "math"

// PowerLaw fits log y = a + b·log x by least squares and returns a and b; ok is false for fewer than two different x.
func PowerLaw(x, y []float64) (a, b float64, ok bool) {
	var mx, my, sxx, sxy float64
	n := float64(len(x))
	for i := range x {
		mx += math.Log(x[i]) / n
		my += math.Log(y[i]) / n
	}
	for i := range x {
		dx := math.Log(x[i]) - mx
		sxx += dx * dx
		sxy += dx * (math.Log(y[i]) - my)
	}
	if !(sxx > 0) {
		return 0, 0, false
	}
	b = sxy / sxx
	return my - b*mx, b, true
}
