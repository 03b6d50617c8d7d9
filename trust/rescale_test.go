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
	for by, left := range map[float64][]float64{1e-6: {2, 2, 0, 0}, 2e-5: {2, 2, 0, 0}, 1e-4: {1, 1, 1, 1}} {
		f, g := []float64{1, -1, 1, -1}, []float64{1 + by, -1 + by, 1 - by, -1 - by}
		x := []float64{3, 1, 1, -1} // 1·f and 1·(1, 1, -1, -1), and a mean of 1
		project(x, [][]float64{f, g})
		for i, want := range left {
			if !(math.Abs(x[i]-want) <= 1e-9) {
				t.Errorf("a difference of %v: %v is left, want %v", by, x, left)
				break
			}
		}
	}
}

// TestRescaleToScores compares normal scores with the quantiles at the mean ranks, standardized. Equal values share their score.
func TestRescaleToScores(t *testing.T) {
	z := []float64{0.5, -2, 0.5, 3}
	Model{Scales: []dataset.Scale{dataset.ScoreScale}}.rescale(z, 0, 0, 1)
	quantile := func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
	size := math.Sqrt((quantile(0.125)*quantile(0.125) + quantile(0.875)*quantile(0.875)) / 4)
	for i, want := range []float64{0, quantile(0.125) / size, 0, quantile(0.875) / size} {
		if !(math.Abs(z[i]-want) <= 1e-12) {
			t.Fatalf("%v, want %v in place %d", z, want, i)
		}
	}
}
