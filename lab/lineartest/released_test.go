package lineartest

import (
	"context"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/paper"
)

// TestPrecision checks that the weights are float32 numbers with a precision of 32 bits, and are not with 64.
func TestPrecision(t *testing.T) {
	rows := matrix.Of(4, 2, []float64{2, 1, 1, 2, -2, -1, -1, -2})
	for _, bits := range []int{32, 64} {
		m := paper.NewPoly()
		m.Precision, m.Steps = bits, 20
		a := must.Get(m.Learn(context.Background(), inputtest.Of(t, []string{"a", "b"}, rows), nil))
		if x := a.Continuous.W.At(0, 1); x == 0 || (float64(float32(x)) == x) != (bits == 32) {
			t.Errorf("%d bits: the weight is %v", bits, x)
		}
	}
}
