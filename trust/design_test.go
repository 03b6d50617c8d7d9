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
