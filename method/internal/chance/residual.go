package chance

import "math"

// centre takes the mean off and returns the sum of squares that is left.
func centre(x []float64) (size float64) {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for i := range x {
		x[i] -= mean
		size += x[i] * x[i]
	}
	return size
}

// residual subtracts the projection on an orthonormal basis and returns the remaining sum of squares. If little
// remains, it repeats the step to reduce rounding errors.
func residual(x []float64, basis [][]float64) float64 {
	before := dot(x, x)
	for range 2 {
		for _, b := range basis {
			along := dot(b, x)
			for i, v := range b {
				x[i] -= along * v
			}
		}
		left := dot(x, x)
		if len(basis) == 0 || left > 0.01*before {
			return left
		}
	}
	return dot(x, x)
}

func normalize(x []float64) {
	size := math.Sqrt(dot(x, x))
	for i := range x {
		x[i] /= size
	}
}

func dot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
