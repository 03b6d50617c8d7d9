package basis

import (
	"math"
	"testing"
)

// TestSketchIsUnbiased checks that merges keep alternately the first and the second value of each pair: the mean of the weighted values is
// that of all values, up to the last merge, which has no counterpart. If all merges kept the first, it would be three times as far off.
func TestSketchIsUnbiased(t *testing.T) {
	var s sketch
	const n = 16 * bufferSize
	for i := range n {
		s.add(float64(i * 7919 % n)) // each of 0 … n-1 once
	}
	sum, weight := 0.0, 0.0
	for _, x := range s.pending {
		sum, weight = sum+x, weight+1
	}
	for level, buffer := range s.levels {
		w := math.Ldexp(2, level)
		for _, x := range buffer {
			sum, weight = sum+w*x, weight+w
		}
	}
	if mean := sum / weight; weight != n || !(math.Abs(mean-(n-1)/2.) <= 8) {
		t.Errorf("%v rows with the mean %v, want %d with %v", weight, mean, n, (n-1)/2.)
	}
}
