package trust

import (
	"math"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// The functions of a column follow from the model: one for a linear effect, one for each value but the smallest of categories, and
// curves of ranks for a curve. Categories have no Gaussian noise.
func TestFunctionsOfAColumn(t *testing.T) {
	z := matrix.New[float64](4, 60)
	kinds := []dataset.Variable{{Kind: kind.Continuous}, {Kind: kind.Binary}, {Kind: kind.Categorical}, {Kind: kind.Continuous}}
	for i := range 60 {
		for v, x := range []float64{float64(i * 37 % 61), float64(i % 2), float64(i % 4), float64(i % 3)} {
			z.Set(v, i, x)
		}
	}
	categories := []bool{false, false, false, true}
	const curve = 8 // the column and seven curves
	for _, c := range []struct {
		what      string
		model     Model
		functions [4]int
		levels    [4]bool
	}{
		{"linear", Model{Kinds: kinds, Categories: categories}, [4]int{1, 1, 1, 1}, [4]bool{}},
		{"linear by name", Model{Effects: score.LinearEffects, Kinds: kinds}, [4]int{1, 1, 1, 1}, [4]bool{}},
		{"tables", Model{Effects: score.TableEffects}, [4]int{59, 1, 3, 2}, [4]bool{}},
		{"mixed", Model{Effects: score.MixedEffects, Kinds: kinds}, [4]int{1, 1, 3, 1}, [4]bool{false, true, true, false}},
		{"mixed, codes", Model{Effects: score.MixedEffects, Kinds: kinds, Categories: categories}, [4]int{1, 1, 3, 2}, [4]bool{false, true, true, true}},
		{"mixed, only codes", Model{Effects: score.MixedEffects, Categories: categories}, [4]int{1, 1, 1, 2}, [4]bool{false, false, false, true}},
		{"smooth", Model{Effects: score.SmoothEffects, Kinds: kinds}, [4]int{curve, curve, curve, curve}, [4]bool{}},
		{"flexible", Model{Effects: score.FlexibleEffects, Kinds: kinds}, [4]int{curve, curve, 3, curve}, [4]bool{false, true, true, false}},
		{"flexible, straight", Model{Effects: score.FlexibleEffects, Kinds: kinds, Straight: []bool{true, true, false, false}}, [4]int{1, 1, 3, curve}, [4]bool{false, true, true, false}},
	} {
		for v := range 4 {
			if got := len(c.model.design(z, v)); got != c.functions[v] {
				t.Errorf("%s: column %d has %d functions, want %d", c.what, v, got, c.functions[v])
			}
			if got := c.model.levels(v); got != c.levels[v] {
				t.Errorf("%s: column %d is categorical: %v, want %v", c.what, v, got, c.levels[v])
			}
		}
	}
}

// Products of two curves need ten rows for each function: two parents have 2·8 functions and 2² products.
func TestRowsOfProducts(t *testing.T) {
	for _, c := range []struct {
		rows     int
		products bool
		want     int
	}{{200, true, 20}, {199, true, 16}, {200, false, 16}} {
		z := matrix.New[float64](2, c.rows)
		for i := range c.rows {
			z.Set(0, i, float64(i*37%c.rows))
			z.Set(1, i, float64(i*91%c.rows))
		}
		m := Model{Effects: score.SmoothEffects, products: c.products}
		if got := len(m.family(z, []int{0, 1})); got != c.want {
			t.Errorf("%d rows, products %v: %d functions, want %d", c.rows, c.products, got, c.want)
		}
	}
}

// Curves of ranks are those of internal/basis, less their mean, with u the middle of the ranks of equal values as a share of the rows.
func TestCurvesOfRanks(t *testing.T) {
	got := bent([]float64{4, 1, 4, 9})
	if len(got) != 7 {
		t.Fatalf("%d curves, want 7", len(got))
	}
	var want [4][7]float64
	var mean [7]float64
	for i, u := range []float64{0.5, 0.125, 0.5, 0.875} {
		basis.Curves(want[i][:], u)
		for k, f := range want[i] {
			mean[k] += f / 4
		}
	}
	for k, f := range got {
		for i := range f {
			if want := want[i][k] - mean[k]; !(math.Abs(f[i]-want) <= 1e-12) {
				t.Errorf("curve %d of row %d is %v, want %v", k+1, i, f[i], want)
			}
		}
	}
}

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
