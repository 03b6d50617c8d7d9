package released_test

import (
	"context"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/polydagpoly"
)

// TestPrecision checks that the weights are float32 numbers with a precision of 32 bits, and are not with 64.
func TestPrecision(t *testing.T) {
	rows := matrix.Of(4, 2, []float64{2, 1, 1, 2, -2, -1, -1, -2})
	moments, err := dataset.FromRows([]string{"a", "b"}, rows, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, bits := range []int{32, 64} {
		m := polydagpoly.New()
		m.Precision, m.Steps = bits, 20
		a, err := m.Learn(context.Background(), &method.Input{Moments: moments, Threads: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if x := a.Continuous.W.At(0, 1); x == 0 || (float64(float32(x)) == x) != (bits == 32) {
			t.Errorf("%d bits: the weight is %v", bits, x)
		}
	}
}
