package dataset

import (
	"io"
	"math"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestMemoryOfMissingValues checks that an empty text is a missing value and no category, as NaN is among numbers.
func TestMemoryOfMissingValues(t *testing.T) {
	src, err := Memory{{Name: "x", Numbers: []float64{1, math.NaN(), 3}}, {Name: "city", Text: []string{"Rome", "", "Oslo"}}}.Source(t.Context())
	must.Succeed(t, err)
	var b Batch
	must.Succeed(t, src.Next(t.Context(), &b))
	if b.Rows != 3 || b.Values[0] != 1 || b.Values[2] == b.Values[2] || b.Values[4] != 3 {
		t.Errorf("%d rows, values %v", b.Rows, b.Values)
	}
	if len(b.Cells) != 2 || b.Cells[0].Row != 0 || b.Cells[1].Row != 2 || b.Cells[0].Column != 1 {
		t.Errorf("cells of text %+v, want those of rows 0 and 2", b.Cells)
	}
	if err := src.Next(t.Context(), &b); err != io.EOF {
		t.Errorf("%v after the last row", err)
	}
}

// TestMeanOfManyBlocks checks that the mean of values near 1e9, whose last bit is 1.2e-7, is exact to 1e-12 after many small blocks: its low
// part keeps what the high part rounds off.
func TestMeanOfManyBlocks(t *testing.T) {
	m, w := NewMoments([]string{"x"}), newWorkspace(1, 3)
	sum, n := 0.0, 0.0
	for k := range 3000 {
		rows := make([]float64, 3)
		for i := range rows {
			off := float64((k*7919+i*104729)%4096) / (1 << 20) // exact beside 1e9
			rows[i] = 1e9 + off
			sum, n = sum+off, n+1
		}
		must.Succeed(t, m.addUpper(rows, w, 1))
	}
	if got, want := (m.Mean[0]-1e9)+m.low[0], sum/n; !(math.Abs(got-want) <= 1e-12) {
		t.Errorf("the mean is 1e9 + %v, want 1e9 + %v", got, want)
	}
}
