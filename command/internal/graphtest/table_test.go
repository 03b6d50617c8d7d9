package graphtest

import (
	"math"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
)

// A row whose values were partly drawn counts less: G² is multiplied by its weight, and permutations, which count every row as one, cannot
// make the p-value smaller than that.
func TestWeightOfDrawnRows(t *testing.T) {
	var x, y []uint32
	for k, n := range []int{30, 10, 10, 30} {
		for range n {
			x, y = append(x, uint32(k/2)), append(y, uint32(k%2))
		}
	}
	columns := []independence.Column{{Levels: 2, Codes: x}, {Levels: 2, Codes: y}}
	g := 2 * (60*math.Log(30./20) + 20*math.Log(10./20)) // 2·Σ observed·log(observed/expected)
	for _, worth := range []float64{1, 0.25, 0.5} {
		test := must.Get(counted(columns, len(x), worth))
		p, effect := test(0, 1, nil)
		if want := independence.ChiSquared(g*worth, 1); worth < 1 && !(math.Abs(p-want) <= 1e-9) || worth == 1 && !(p < 1e-3) {
			t.Errorf("weight %v: p = %v, want %v", worth, p, want)
		}
		must.Near(t, effect, math.Sqrt(1-math.Exp(-g/80)), 1e-9, "weight %v: effect", worth)
	}
}

// The effect of Fisher's test is the partial correlation also where hardly any rows are left, and a test that cannot be done refutes nothing.
func TestFewRows(t *testing.T) {
	if got := ratioEffect(-1e-9, 100); got != 0 {
		t.Errorf("a statistic below 0 by rounding has the effect %v", got)
	}
	if got, want := detectable(1000, 0, 0.05), detectable(1000, 1, 0.05); got != want {
		t.Errorf("without conditions %v is detectable, want %v of one", got, want)
	}
	rows := [][]float64{{1, 2}, {2, 1}, {3, 5}, {4, 4}, {5, 7}}
	columns := must.Get(polydag.RowColumns([]string{"a", "b"}, rows))
	table := must.Get(polydag.Prepare(t.Context(), columns, polydag.DefaultPreparation()))
	for _, names := range [][]string{nil, {"a"}, {"a", "z"}} {
		if _, err := Table(t.Context(), table, names, graph.New(len(names)), DefaultSettings()); err == nil {
			t.Errorf("the columns %q are accepted", names)
		}
	}
}
