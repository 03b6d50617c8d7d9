package matrix

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDense(t *testing.T) {
	m := strided[float64](rand.New(rand.NewPCG(7, 7)), 3, 2, 1)
	m.Set(2, 1, 7)
	if m.At(2, 1) != 7 || m.Row(2)[1] != 7 || m.Data[2*3+1] != 7 {
		t.Error("At, Row and Data disagree")
	}
	if m.Contiguous() || !m.Clone().Contiguous() {
		t.Error("Contiguous: want false for a gap of 1 and true for a clone")
	}
	if got, want := m.Trace(), m.At(0, 0)+m.At(1, 1); got != want {
		t.Errorf("Trace = %v, want %v", got, want)
	}
	c := New[float64](3, 2)
	c.CopyFrom(m)
	if c.At(2, 1) != 7 {
		t.Error("CopyFrom lost an entry")
	}
	if f := Convert[float32](m); f.At(2, 1) != 7 || f.Rows != 3 || f.Cols != 2 {
		t.Error("Convert lost an entry")
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		c.Set(1, 1, bad)
		if c.Finite() {
			t.Errorf("Finite with %v", bad)
		}
	}
	m.Zero()
	checkGaps(t, m)
	if !m.Finite() || norm(m) != 0 {
		t.Error("Zero left something")
	}
	mustPanic(t, "New(-1, 2)", func() { New[float64](-1, 2) })
	mustPanic(t, "Of with a missing value", func() { Of(2, 2, []float64{1, 2, 3}) })
	mustPanic(t, "CopyFrom another shape", func() { c.CopyFrom(New[float64](2, 3)) })
}
