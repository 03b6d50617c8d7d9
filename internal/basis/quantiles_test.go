package basis

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// A distribution function is linear between its knots and constant outside, and so is its inverse. A quantile is the first value with at least
// this rank.
func TestRanksBetweenKnots(t *testing.T) {
	r := ranks{[]float64{1, 3, 7}, []float64{0.1, 0.5, 0.9}}
	for x, want := range map[float64]float64{-5: 0.1, 1: 0.1, 1.5: 0.2, 2: 0.3, 3: 0.5, 4: 0.6, 7: 0.9, 8: 0.9} {
		must.Near(t, r.at(x), want, 1e-12, "rank of %v", x)
	}
	if got := (ranks{[]float64{-1.5e308, 1.5e308}, []float64{0.25, 0.75}}).at(0); got != 0.5 {
		t.Errorf("the rank halfway between large values is %v, want 0.5", got)
	}
	for u, want := range map[float64]float64{0: 1, 0.1: 1, 0.3: 2, 0.5: 3, 0.6: 4, 0.9: 7, 0.95: 7, 1: 7} {
		must.Near(t, r.value(u), want, 1e-12, "value at %v", u)
	}
	for u, want := range map[float64]float64{0: 1, 0.1: 1, 0.11: 3, 0.5: 3, 0.51: 7, 0.9: 7, 0.95: 7, 1: 7} {
		if got := r.quantile(u); got != want {
			t.Errorf("quantile at %v: %v, want %v", u, got, want)
		}
	}
}

// A column is ranked exactly up to 2¹⁵ - 1 rows. Two full buffers of 2¹⁴ values are halved, alternately to the first and the second of each pair.
func TestSketchOfSortedValues(t *testing.T) {
	const k = 1 << 14
	for n, want := range map[int]int{2*k - 1: 2*k - 1, 2 * k: k, 3 * k: 2 * k, 4 * k: k, 6 * k: 2 * k} {
		var s sketch
		for i := range n {
			s.add(float64(i))
		}
		r := s.ranks()
		if len(r.x) != want {
			t.Errorf("%d rows have %d knots, want %d", n, len(r.x), want)
		}
		for i := 0; i < n; i += n / 10 {
			must.Near(t, r.at(float64(i)), (float64(i)+0.5)/float64(n), 4/float64(n), "%d rows: the rank of %d", n, i)
		}
	}
	var s sketch
	for k, want := range [][]float64{{0, 2}, {1, 3}, {0, 2}} {
		if got := s.halve([]float64{0, 1, 2, 3}, 0); !slices.Equal(got, want) {
			t.Errorf("merge %d keeps %v, want %v", k, got, want)
		}
	}
}

// Mean and standard deviation are those of the values on the scale, and a constant column has the deviation 1. The logarithm of 0 is that of the
// smallest positive number.
func TestStandardizedColumns(t *testing.T) {
	for _, c := range []struct {
		column   column
		mean, sd float64
	}{
		{column{ranks: ranks{[]float64{5}, []float64{0.5}}}, 5, 1},
		{column{ranks: ranks{[]float64{1, 3}, []float64{0.125, 0.625}}}, 2.5, math.Sqrt(0.75)},
		{column{scale: dataset.LogScale, ranks: ranks{[]float64{1, math.E}, []float64{0.25, 0.75}}}, 0.5, 0.5},
		{column{ranks: ranks{[]float64{0.3, 0.30000000000000004}, []float64{0.25, 0.75}}}, 0.3, math.NaN()},
	} {
		c.column.standardize()
		if !(math.Abs(c.column.mean-c.mean) <= 1e-12) || c.column.sd != c.column.sd || math.Abs(c.column.sd-c.sd) > 1e-12 {
			t.Errorf("%v: mean %v and deviation %v, want %v and %v", c.column.ranks, c.column.mean, c.column.sd, c.mean, c.sd)
		}
	}
	log := column{scale: dataset.LogScale}
	if got, want := log.scaled(0), math.Log(math.SmallestNonzeroFloat64); got != want {
		t.Errorf("the logarithm of 0 is %v, want %v", got, want)
	}
}

// The default settings have products of two of seven curves up to 30 columns, and at most 64 categories.
func TestDefaultExpansion(t *testing.T) {
	for d, want := range map[int]int{2: 2*8 + 4, 30: 30*8 + 4*30*29/2, 31: 31 * 8} {
		fit := NewFit(make([]string, d), nil)
		must.Succeed(t, fit.Add(make([]float64, d)))
		if f, err := fit.Functions(DefaultSettings()); err != nil || f.Size() != want {
			t.Errorf("%d columns have %d functions, %v, want %d", d, f.Size(), err, want)
		}
	}
	for levels, valid := range map[int]bool{64: true, 65: false} {
		fit := NewFit([]string{"c"}, []bool{true})
		for k := range levels {
			must.Succeed(t, fit.Add([]float64{float64(k)}))
		}
		if _, err := fit.Functions(DefaultSettings()); (err == nil) != valid || err != nil && !errors.Is(err, ErrLevels) {
			t.Errorf("%d categories: %v, want valid: %v", levels, err, valid)
		}
	}
	fit := NewFit([]string{"a", "b"}, nil)
	must.Succeed(t, fit.Add([]float64{1, 2}))
	for lines, want := range map[bool]string{
		false: "[a~curve1*b~curve1 a~curve1*b~curve2 a~curve2*b~curve1 a~curve2*b~curve2]",
		true:  "[a*b a*b~curve2 a~curve2*b a~curve2*b~curve2]",
	} {
		s := DefaultSettings()
		s.CrossedLines = lines
		f := must.Get(fit.Functions(s))
		if got := fmt.Sprint(f.Names()[16:]); got != want {
			t.Errorf("products %s, want %s", got, want)
		}
		if err := f.NewGram(1).Add([]float64{1}); err == nil {
			t.Error("half of a row is accepted")
		}
	}
	if err := NewFit(nil, nil).Add(nil); err == nil {
		t.Error("rows without columns are accepted")
	}
	for what, c := range map[string]struct {
		names int
		kinds []bool
	}{"one name": {1, nil}, "one kind": {2, []bool{false}}, "three kinds": {2, make([]bool, 3)}} {
		if _, err := OfRows(make([]string, c.names), c.kinds, matrix.New[float64](3, 2), DefaultSettings(), 1); err == nil {
			t.Errorf("%s for two columns is accepted", what)
		}
	}
}

// TestSketchIsUnbiased checks that merges keep alternately the first and the second value of each pair: the mean of the weighted values is
// that of all values, up to the last merge, which has no counterpart. If all merges kept the first, it would be three times as far off.
func TestSketchIsUnbiased(t *testing.T) {
	var s sketch
	const n = 16 * bufferSize
	for i := range n {
		s.add(float64(i * 7919 % n)) // each of 0 … n-1 once
	}
	sum, weight := 0.0, 0.0
	for _, x := range s.pending {
		sum, weight = sum+x, weight+1
	}
	for level, buffer := range s.levels {
		w := math.Ldexp(2, level)
		for _, x := range buffer {
			sum, weight = sum+w*x, weight+w
		}
	}
	if mean := sum / weight; weight != n || !(math.Abs(mean-(n-1)/2.) <= 8) {
		t.Errorf("%v rows with the mean %v, want %d with %v", weight, mean, n, (n-1)/2.)
	}
}
