package lagrangian

import (
	"math"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// Codes are the ranks of the distinct values, and a centred column has mean 0 and the given standard deviation.
func TestCodedAndCentred(t *testing.T) {
	x := matrix.Of(4, 2, []float64{7, 1, -2, 3, 7, 5, 4, 11})
	if levels := coded(x, 0); levels != 3 || x.At(0, 0) != 2 || x.At(1, 0) != 0 || x.At(2, 0) != 2 || x.At(3, 0) != 1 {
		t.Errorf("%d levels, codes %v", levels, x.Data)
	}
	centred(x, 1, 2.5)
	for i, v := range []float64{1, 3, 5, 11} { // mean 5, variance 14
		if want := (v - 5) / math.Sqrt(14) * 2.5; !(math.Abs(x.At(i, 1)-want) <= 1e-12) {
			t.Errorf("%v becomes %v, want %v", v, x.At(i, 1), want)
		}
	}
	one := matrix.Of(2, 1, []float64{3, 3})
	centred(one, 0, 1)
	if one.At(0, 0) != 0 {
		t.Errorf("a constant becomes %v", one.At(0, 0))
	}
}
