package trust

import (
	"math"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// TestRescale checks that a column is compared on the scale of its model: its logarithms, standardized, or itself for raw columns and for
// categories, whose codes have no scale.
func TestRescale(t *testing.T) {
	x := []float64{1, math.E, math.E * math.E}
	mean, std := (x[0]+x[1]+x[2])/3, 2.0
	z := func() (out []float64) {
		for _, v := range x {
			out = append(out, (v-mean)/std)
		}
		return out
	}
	for _, c := range []struct {
		model Model
		want  []float64
	}{
		{Model{}, z()},
		{Model{Scales: []dataset.Scale{dataset.RawScale}}, z()},
		{Model{Scales: []dataset.Scale{dataset.LogScale}, Categories: []bool{true}}, z()},
		{Model{Scales: []dataset.Scale{dataset.LogScale}}, []float64{-math.Sqrt(1.5), 0, math.Sqrt(1.5)}},
	} {
		got := z()
		c.model.rescale(got, 0, mean, std)
		for i, v := range got {
			if !(math.Abs(v-c.want[i]) <= 1e-12) {
				t.Errorf("%+v: %v, want %v", c.model, got, c.want)
				break
			}
		}
	}
}

// TestProjectSkipsDeterminedFunctions checks that a function that another one determines up to rounding removes nothing of its own.
func TestProjectSkipsDeterminedFunctions(t *testing.T) {
	f, g := []float64{1, -1, 1, -1}, []float64{1 + 1e-6, -1 + 1e-6, 1 - 1e-6, -1 - 1e-6}
	x := []float64{3, 1, 1, -1} // 1·f and 1·(1, 1, -1, -1), and a mean of 1
	project(x, [][]float64{f, g})
	for i, want := range []float64{2, 2, 0, 0} {
		if !(math.Abs(x[i]-want) <= 1e-9) {
			t.Fatalf("%v is left, want 2, 2, 0, 0", x)
		}
	}
}
