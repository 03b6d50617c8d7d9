package chance

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

func dot(x, y []float64) (sum float64) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
