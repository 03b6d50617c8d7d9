package trust

import (
	"math"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// sampleOf returns the evidence of rows of two columns.
func sampleOf(t *testing.T, n int, row func(i int) (a, b float64)) Evidence {
	t.Helper()
	m := dataset.NewMoments([]string{"a", "b"})
	s := &dataset.Sample{Columns: 2}
	for i := range n {
		a, b := row(i)
		must.Succeed(t, m.AddBlock([]float64{a, b}))
		s.Values, s.Index = append(s.Values, a, b), append(s.Index, i)
	}
	return Evidence{Moments: m, Sample: s}
}

// Pairs of columns are compared in the first 3000 rows.
func TestRowsOfAsymmetry(t *testing.T) {
	for _, c := range []struct{ rows, want int }{{2999, 2999}, {3000, 3000}, {3001, 3000}, {3900, 3000}} {
		a := newAsymmetry(sampleOf(t, c.rows, func(i int) (float64, float64) { return float64(i), float64(i * i % 7) }), Model{})
		if len(a.columns[0]) != c.want || a.distinct[0] != c.want || a.distinct[1] != 4 {
			t.Errorf("%d rows: %d are compared and have %d and %d values, want %d, %[5]d and 4", c.rows, len(a.columns[0]), a.distinct[0], a.distinct[1], c.want)
		}
	}
}

// The rule about distinct values contributes 1.5·tanh(½ ln(y/x)) to the log odds, 0.3 of it at codes.
func TestRuleOfDistinctValues(t *testing.T) {
	for _, c := range []struct {
		x, y int
		code bool
		want float64
	}{{3, 12, false, 1.5 * math.Tanh(math.Log(4)/2)}, {12, 3, false, -1.5 * math.Tanh(math.Log(4)/2)}, {3, 12, true, 0.45 * math.Tanh(math.Log(4)/2)}} {
		a := &asymmetry{columns: make([][]float64, 2), distinct: []int{c.x, c.y}, nominal: []bool{false, true}, codes: []bool{false, c.code}}
		if got, _ := a.odds(graph.Edge{From: 0, To: 1}); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%d and %d values: log odds %v, want %v", c.x, c.y, got, c.want)
		}
	}
}
