package vec

// TwoSum returns a + b rounded, and the exact rounding error (Knuth, TAOCP 4.2.2).
func TwoSum(a, b float64) (sum, lost float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}
