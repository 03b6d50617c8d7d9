package dagma

import (
	"context"
	"math"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// TestAgainstTheBestDAG compares with the best of all DAGs over three columns. In R, coordinate descent for the lasso with a penalty of 0.03 on the
// predecessors of each column has for the six orders the objectives 1.527222559 (x1, x2, x3), 1.699829641, 1.900338173, 1.996116859, 1.705892388 and
// 1.934471524, and for the first the weights below. The rows come from a generator that R has with a double, (16807·s) mod (2³¹ - 1).
func TestAgainstTheBestDAG(t *testing.T) {
	s := uint64(1)
	uniform := func() float64 {
		s = 16807 * s % 2147483647
		return (float64(s)/2147483647 - 0.5) * math.Sqrt(12)
	}
	x := matrix.New[float64](500, 3)
	for i := range x.Rows {
		e1, e2, e3 := uniform(), uniform(), uniform()
		x2 := 1.2*e1 + e2
		copy(x.Row(i), []float64{e1, x2, -0.8*e1 + 0.9*x2 + e3})
	}
	moments := must.Get(dataset.MomentsOf([]string{"x1", "x2", "x3"}, x, 1))
	for _, bits := range []int{32, 64} {
		m := New()
		m.Precision = bits
		a := must.Get(m.Learn(context.Background(), &method.Input{Moments: moments, Threads: 1}, nil))
		want := []float64{0, 1.157382968, -0.8304409251, 0, 0, 0.8869210638, 0, 0, 0}
		for i, got := range a.Continuous.W.Data {
			if !(math.Abs(got-want[i]) <= 0.003) {
				t.Errorf("%d bits, %d → %d: %v, R has %v", bits, i/3+1, i%3+1, got, want[i])
			}
		}
	}
}
