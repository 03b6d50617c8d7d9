package score

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/search"
)

// tenths is a score in which parent x improves the score of column 0 by 1 + x/10, and a useless parent worsens it by 1/2.
type tenths struct{ useless []int }

func (f *tenths) Score(_ int, parents []int) float64 {
	sum := 100.0
	for _, p := range parents {
		if slices.Contains(f.useless, p) {
			sum += 0.5
		} else {
			sum -= 1 + float64(p)/10
		}
	}
	return sum
}

func (f *tenths) Additions(dst []float64, v int, parents []int) {
	search.AdditionsByScore(dst, f, v, parents)
}

// Forward selection takes the best predictor first, at most twelve, and stops when no predictor improves the score.
func TestPredictorsOfCurvature(t *testing.T) {
	for _, c := range []struct {
		d       int
		useless []int
		want    []int // the predictors
	}{
		{1, nil, nil},
		{5, nil, []int{1, 2, 3, 4}},
		{13, nil, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{14, nil, []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}},
		{16, nil, []int{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
		{6, []int{5, 2}, []int{1, 3, 4}},
		{6, []int{1, 2, 3, 4, 5}, nil},
	} {
		f := &tenths{useless: c.useless}
		want := 100.0
		for _, p := range c.want {
			want -= 1 + float64(p)/10
		}
		if got := ForwardScore(f, c.d, 0, c.d, blanket); !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("%d columns, useless %v: score %v, want %v of the predictors %v", c.d, c.useless, got, want, c.want)
		}
	}
}

// Products of parents are tried for two parents and more, with at most 256 functions and products together.
func TestProductsOfParents(t *testing.T) {
	for _, c := range []struct {
		parents, size, products int
		want                    bool
	}{
		{1, 8, 4, false}, {2, 8, 4, true}, {9, 8, 4, true}, {10, 8, 4, false},
		{2, 64, 128, true}, {2, 64, 129, false}, {2, 65, 127, false}, {2, 8, 300, false}, {4, 1, 42, true}, {4, 2, 42, false},
	} {
		if got := triesProducts(c.parents, c.size, c.products); got != c.want {
			t.Errorf("%d parents with %d functions each and %d products of a pair: %v, want %v", c.parents, c.size, c.products, got, c.want)
		}
	}
	// Four functions and nine products of a pair: eight parents have 32 + 28·9 = 284, seven have 28 + 21·9 = 217.
	b := &Blocks{N: 10, Start: []int{0, 4, 5, 9}, Levels: make([]bool, 3), Crossed: 3}
	if !TriesProducts(b, make([]int, 7)) || TriesProducts(b, make([]int, 8)) || TriesProducts(b, make([]int, 1)) {
		t.Error("products of four functions are tried for other than two to seven parents")
	}
	// The largest number of functions of a curved variable counts: two parents have 2·126 + 4 = 256 functions and products, or 258.
	for most, want := range map[int]bool{126: true, 127: false} {
		b := &Blocks{N: 10, Start: []int{0, 3, 3 + most, 4 + most, 134 + most, 138 + most}, Levels: []bool{false, false, false, true, false}, Crossed: 2}
		if got := TriesProducts(b, make([]int, 2)); got != want {
			t.Errorf("%d functions: products are tried: %v, want %v", most, got, want)
		}
	}
}

// A function with unit variance and a ridge r has 1/(1 + r) degrees of freedom, which is what a bootstrap sample fits better on average.
func TestDegreesOfFreedomOfARidge(t *testing.T) {
	p := prior{size: 2, ridge: []float64{1, 3}, line: 0.25, pairs: []float64{0, 4}}
	p.charge(true)
	if p.straight != 0.8 || !slices.Equal(p.own, []float64{0, 0.5, 0.75}) || p.pair != 1.2 {
		t.Errorf("line %v, functions %v, products %v", p.straight, p.own, p.pair)
	}
	p = prior{size: 2, ridge: []float64{1, 3}, line: 0.25, pairs: []float64{0, 4}}
	if p.charge(false); p.straight != 0 || !slices.Equal(p.own, []float64{0, 0, 0}) || p.pair != 0 {
		t.Errorf("without a bootstrap sample: line %v, functions %v, products %v", p.straight, p.own, p.pair)
	}
}
