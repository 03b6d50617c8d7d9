package prepare

import (
	"testing"

	"github.com/polydag/polydag/dataset"
)

// Zeros stand apart if the next value is far from them both in distances of the smallest values and in medians, and the column has no
// negative values and more than a few.
func TestLoneZeros(t *testing.T) {
	from := func(first, step float64, n int, zeros int) []float64 {
		var out []float64
		for k := range n {
			out = append(out, first+step*float64(k))
		}
		return append(out, make([]float64, zeros)...)
	}
	for name, c := range map[string]struct {
		x    []float64
		want int
	}{
		"blood pressure":      {from(24, 2, 50, 7), 7},
		"count":               {from(1, 1, 50, 7), 0},
		"three steps":         {from(3, 1, 25, 4), 4},
		"less than three":     {from(2.9, 1, 25, 4), 0},
		"a tenth of a median": {from(10, 3, 61, 4), 4}, // the median is 100
		"less than a tenth":   {from(10, 3, 63, 4), 0},
		"few values":          {from(24, 2, 19, 7), 0},
		"negative values":     {append(from(24, 2, 50, 7), -1), 0},
		"no zeros":            {from(24, 2, 50, 0), 0},
	} {
		s := columnStats{distinct: distinct{limit: dataset.DistinctLimit}, integer: true}
		s.vote(c.x)
		s.addMoments(append([]float64(nil), c.x...), make([]float64, len(c.x)))
		if got := s.loneZeros(); got != c.want {
			t.Errorf("%s: %d zeros, want %d", name, got, c.want)
		}
		if p := s.profile(); c.want > 0 && (p.Suspect != 0 || p.Suspects != c.want || !p.SuspectLone) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
