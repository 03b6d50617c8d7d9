package basis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// TestSettingsInRange checks both sides of each limit of the settings.
func TestSettingsInRange(t *testing.T) {
	for _, c := range []struct {
		s    Settings
		want bool
	}{
		{Settings{Curves: 0, MaxLevels: 1}, true},
		{Settings{Curves: 64, Crossed: 64, MaxLevels: 1}, true},
		{Settings{Curves: 65, MaxLevels: 1}, false},
		{Settings{Curves: -1, Crossed: -1, MaxLevels: 1}, false},
		{Settings{Curves: 3, Crossed: 3, MaxLevels: 1}, true},
		{Settings{Curves: 3, Crossed: 4, MaxLevels: 1}, false},
		{Settings{Curves: 3, Crossed: -1, MaxLevels: 1}, false},
		{Settings{CrossedColumns: -1, MaxLevels: 1}, false},
		{Settings{MaxLevels: 0}, false},
		{DefaultSettings(), true},
	} {
		if err := c.s.Validate(); (err == nil) != c.want {
			t.Errorf("%+v: %v, want valid: %v", c.s, err, c.want)
		}
	}
}

// TestLanes checks the number of accumulators: at most four, and 64 MB of moments for each of at most eight parts, or less for more parts.
func TestLanes(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 4}, {1448, 1, 4}, {1449, 8, 3}, {2896, 8, 1}, {2897, 1, 1}, {1024, 16, 4}, {1025, 16, 3}, {0, 1, 4}, {100_000, 1, 1}} {
		if got := laneCount(c[0], c[1]); got != c[2] {
			t.Errorf("%d functions in %d parts: %d lanes, want %d", c[0], c[1], got, c[2])
		}
	}
}

// TestLaggedFunctions checks the functions of present and lagged values: one of a present number, four of a lagged one, indicators of up to 16
// categories, and none at all if there are more than 2000.
func TestLaggedFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 41))
	const n = 40
	for _, c := range []struct{ columns, want int }{{500, 1 + 499*4}, {501, 0}} {
		values := make([]float64, n*c.columns)
		for i := range values {
			values[i] = rng.NormFloat64()
		}
		functions, lags, rows, err := Lagged(make([]string, c.columns), make([]dataset.Variable, c.columns), values, 1)
		if err != nil || len(functions) != c.want || len(lags) != c.want || len(rows) != n*c.want {
			t.Errorf("%d columns: %d functions, want %d: %v", c.columns, len(functions), c.want, err)
		}
	}
	for words, want := range map[int]int{16: 15, 17: 4} { // lagged functions
		values, kinds := make([]float64, 0, 2*17*4), make([]dataset.Variable, 2)
		for i := range 17 * 4 {
			values = append(values, rng.NormFloat64(), float64(i%words))
		}
		kinds[1] = dataset.Variable{Kind: dataset.Categorical, Words: make([]string, words)}
		functions, lags, _, err := Lagged([]string{"a", "b"}, kinds, values, 1)
		if err != nil || len(functions) != 1+want || lags[0] != 0 || lags[1] != 1 || functions[1] != `"b".0` {
			t.Errorf("%d categories: functions %v, want %d of the lagged value: %v", words, functions, want, err)
		}
	}
}

// TestFewValuesAreStraight checks both sides of the limits of a column with few or repeated values: 50 effective values or half of the rows,
// a skewness of 1 and an excess kurtosis of 3.
func TestFewValuesAreStraight(t *testing.T) {
	form := func(x []float64) (Form, bool) {
		return lumpy(x, ranksOf(x))
	}
	for _, c := range []struct {
		n, values int
		want      bool
	}{{1000, 50, true}, {1020, 51, false}, {60, 30, true}, {60, 31, false}, {40, 40, false}} {
		x := make([]float64, c.n)
		for i := range x {
			x[i] = float64(i % c.values)
		}
		if f, is := form(x); is != c.want || f.Straight != c.want {
			t.Errorf("%d rows of %d values: straight is %v, want %v", c.n, c.values, is, c.want)
		}
	}
	sides := map[[2]bool]int{}
	check := func(x []float64) {
		n, mean, m2, m3, m4 := float64(len(x)), 0.0, 0.0, 0.0, 0.0
		for _, v := range x {
			mean += v / n
		}
		for _, v := range x {
			d := v - mean
			m2, m3, m4 = m2+d*d/n, m3+d*d*d/n, m4+d*d*d*d/n
		}
		skew, tails := m3/math.Pow(m2, 1.5), m4/(m2*m2)-3
		f, is := form(x)
		if want := math.Abs(skew) > 1 || tails > 3; !is || (f.Scale == dataset.ScoreScale) != want {
			t.Errorf("skewness %v, excess kurtosis %v: scale %q", skew, tails, f.Scale)
		}
		sides[[2]bool{math.Abs(skew) > 1, tails > 3}]++
	}
	for k := 1; k < 60; k++ {
		skewed, tailed := make([]float64, 100), make([]float64, 100)
		for i := range 100 {
			switch {
			case i < k:
				skewed[i] = -1
			case i >= 90:
				skewed[i] = -2
			}
			if i < k/2 {
				tailed[i] = 1
			} else if i < k/2*2 {
				tailed[i] = -1
			}
		}
		check(skewed)
		if k > 3 {
			check(tailed)
		}
	}
	for _, side := range [][2]bool{{false, false}, {true, false}, {false, true}} {
		if sides[side] < 3 {
			t.Errorf("%v: the test looks at one side only", sides)
		}
	}
	if f, _ := form(append(make([]float64, 99), 1)); f.Scale != dataset.RawScale {
		t.Errorf("a column of two values has the scale %q", f.Scale)
	}
}

// TestConstantFunctions checks that a constant column has no covariance with any other, in spite of rounding errors.
func TestConstantFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 41))
	x := matrix.New[float64](97, 2)
	for i := range x.Rows {
		x.Set(i, 0, 0.1)
		x.Set(i, 1, 1e6*rng.NormFloat64())
	}
	s := DefaultSettings()
	s.Curves, s.Crossed = 0, 0
	b, err := OfRows([]string{"a", "b"}, nil, x, s, 1)
	if err != nil || b.Gram.At(0, 0) != 0 || b.Gram.At(0, 1) != 0 || b.Gram.At(1, 0) != 0 || !(b.Gram.At(1, 1) > 0) {
		t.Errorf("covariances %v: %v", b.Gram.Data, err)
	}
}

// TestRangeOfValues checks that the values include the extremes, those given, and steps of ranks and of values.
func TestRangeOfValues(t *testing.T) {
	x := matrix.New[float64](101, 1)
	for i := range x.Rows {
		x.Set(i, 0, float64(i*i))
	}
	fit := NewFit([]string{"a"}, nil)
	must.Succeed(t, fit.Add(x.Data))
	f := must.Get(fit.Functions(DefaultSettings()))
	got := f.Range(0, 11, 7) // five ranks: 0, 1/4, 1/2, 3/4, 1; and five steps of the value between
	if len(got) != 11 || !slices.IsSorted(got) || got[0] != 0 || got[10] != 10_000 {
		t.Fatalf("values %v, want 11 from 0 to 10000", got)
	}
	for _, want := range []float64{7, 625, 2500, 5625, 1e4 / 6, 2e4 / 6, 3e4 / 6, 4e4 / 6, 5e4 / 6} {
		if !slices.ContainsFunc(got, func(v float64) bool { return math.Abs(v-want) <= 160 }) { // the distance of two values near a quantile
			t.Errorf("values %v, want one near %v", got, want)
		}
	}
	for u, want := range map[float64]float64{0: 0, 1: 10_000, 0.5: 2500} {
		must.Near(t, f.Quantile(0, u), want, 110, "quantile %v", u)
	}
}

// TestEntropyOfSpacings checks that the entropy grows by the logarithm of the scale, and that Gaussian quantiles have nearly no negentropy.
func TestEntropyOfSpacings(t *testing.T) {
	x, wide := make([]float64, 400), make([]float64, 400)
	for i := range x {
		x[i] = normalQuantile((float64(i) + 0.5) / 400)
		wide[i] = 3 * x[i]
	}
	for _, weight := range []float64{1, 0.5} {
		apart := math.Sqrt(400 * weight)
		if got := entropy(x, weight); math.Abs(got-(1+math.Log(2*math.Pi))/2-1/(2*apart)) > 1e-12 {
			t.Errorf("weight %v: the entropy of Gaussian quantiles is %v", weight, got)
		}
		must.Near(t, entropy(wide, weight), entropy(x, weight)+math.Log(3), 1e-12, "weight %v: the entropy of a wider column", weight)
		if got := negentropy(x, entropy(x, weight)); math.Abs(got) > 1/apart {
			t.Errorf("weight %v: the negentropy of Gaussian quantiles is %v", weight, got)
		}
	}
}

// TestProductsOfFunctions compares the products of a row with the functions of its columns: with lines the first factor is the standardized
// column, and otherwise its first curve.
func TestProductsOfFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 41))
	const n, d, c = 60, 3, 2
	x := matrix.New[float64](n, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for _, lines := range []bool{false, true} {
		fit := NewFit([]string{"a", "b", "c"}, nil)
		must.Succeed(t, fit.Add(x.Data))
		s := Settings{Curves: 3, Crossed: c, CrossedColumns: d, CrossedLines: lines, MaxLevels: 1}
		f := must.Get(fit.Functions(s))
		start, wide := f.Start(), make([]float64, f.Size())
		if f.Size() != start[d]+c*c*d*(d-1)/2 {
			t.Fatalf("%d functions and products, want %d", f.Size(), start[d]+c*c*d*(d-1)/2)
		}
		for i := range n {
			must.Succeed(t, f.Expand(wide, x.Row(i)))
			factor := func(j, k int) float64 {
				if !lines || k > 0 {
					return wide[start[j]+1+k] // a curve
				}
				mean, square := 0.0, 0.0
				for r := range n {
					mean += x.At(r, j) / n
				}
				for r := range n {
					square += (x.At(r, j) - mean) * (x.At(r, j) - mean) / n
				}
				return (x.At(i, j) - mean) / math.Sqrt(square)
			}
			at := start[d]
			for b := range d {
				for a := range b {
					for k := range c {
						for l := range c {
							if want := factor(a, k) * factor(b, l); math.Abs(wide[at]-want) > 1e-9 {
								t.Fatalf("lines %v: product %d of columns %d and %d is %v, want %v", lines, k*c+l, a, b, wide[at], want)
							}
							if got := f.Factor(a, k, wide[start[a]:]); math.Abs(got-factor(a, k)) > 1e-9 {
								t.Fatalf("lines %v: factor %d of column %d is %v, want %v", lines, k, a, got, factor(a, k))
							}
							at++
						}
					}
				}
			}
		}
		names := f.Names()
		if first := names[start[d]]; (first == "a*b") != lines {
			t.Errorf("lines %v: the first product is %q", lines, first)
		}
		s.CrossedColumns = d - 1
		if f = must.Get(fit.Functions(s)); f.Size() != start[d] {
			t.Errorf("products of more columns than allowed: %d functions", f.Size())
		}
	}
}
