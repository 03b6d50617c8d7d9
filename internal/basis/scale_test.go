package basis

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// Columns on the scale on which they are linear in each other, beside a count, a column of two values, and a Gaussian column that is not
// Gaussian only because of its cause.
func TestForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 8))
	const n = 1500
	x := matrix.New[float64](n, 7)
	for i := range n {
		r := x.Row(i)
		z := rng.NormFloat64()
		r[0] = z
		r[1] = math.Exp(z + rng.NormFloat64())
		r[2] = 1 / (1 + math.Exp(-2*(math.Log(r[1])+rng.NormFloat64())))
		r[3] = math.Floor(2 * rng.ExpFloat64())
		r[4] = math.Copysign(1, rng.NormFloat64())
		r[5] = 3*r[4] + rng.NormFloat64()
		r[6] = math.Sin(2*z) + 0.5*rng.NormFloat64()
	}
	forms := must.Get(Forms(context.Background(), x, nil, 1, 2))
	want := []Form{{}, {Scale: dataset.LogScale}, {Scale: dataset.ScoreScale}, {Scale: dataset.ScoreScale, Straight: true}, {Straight: true}, {}, {}}
	for j, f := range forms {
		if f != want[j] {
			t.Errorf("column %d: %+v, want %+v", j, f, want[j])
		}
	}
}

// The estimate of the entropy against closed forms.
func TestEntropy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := map[string]struct {
		next func() float64
		want float64
	}{
		"gaussian":    {func() float64 { return 3 * rng.NormFloat64() }, gaussianEntropy + math.Log(3)},
		"uniform":     {rng.Float64, 0},
		"exponential": {rng.ExpFloat64, 1},
	}
	for name, d := range draw {
		x := make([]float64, 4000)
		for i := range x {
			x[i] = d.next()
		}
		must.Near(t, entropy(x, 1), d.want, 0.05, "%s", name)
		if one, four := entropy(x, 1), entropy(slices.Concat(x, x, x, x), 0.25); !(math.Abs(one-four) <= 0.002) {
			t.Errorf("%s: %v, and %v with four copies of each row", name, one, four)
		}
	}
}

func TestScaleRoundTrip(t *testing.T) {
	fit := NewFit([]string{"raw", "log", "scores"}, nil)
	for i := range 100 {
		v := float64(1 + i*i)
		must.Succeed(t, fit.Add([]float64{v, v, v}))
	}
	s := DefaultSettings()
	s.Scales = []dataset.Scale{dataset.RawScale, dataset.LogScale, dataset.ScoreScale}
	f := must.Get(fit.Functions(s))
	at := make([]float64, 8)
	for i := range 100 {
		v := float64(1 + i*i)
		for j := range 3 {
			y := f.Scaled(j, v)
			if f.At(at, j, v); at[0] != y {
				t.Errorf("the first function of column %d at %v is %v, want %v", j, v, at[0], y)
			}
			if back := f.Back(j, y); !(math.Abs(back-v) <= 1e-9*v) {
				t.Errorf("column %d: %v is %v on its scale, which is %v", j, v, y, back)
			}
		}
		must.Near(t, f.Scaled(2, v), math.Sqrt2*math.Erfinv(2*(float64(i)+0.5)/100-1), 1e-12, "normal score of %v", v)
	}
}

// A column is straight up to 50 values of equal frequency. It is described by normal scores if its skewness exceeds 1 or its excess kurtosis 3.
func TestLumpyColumns(t *testing.T) {
	form := func(x []float64) (Form, bool) {
		return lumpy(x, ranksOf(x))
	}
	for values, want := range map[int]bool{2: true, 49: true, 51: false} {
		var x []float64
		for i := range 40 * values {
			x = append(x, float64(i%values))
		}
		if f, is := form(x); is != want || f.Straight != want || f.Scale != "" {
			t.Errorf("%d values: %+v, %v", values, f, is)
		}
	}
	// A share p of ones and one row of two: the skewness is about (1 - 2p)/√(p(1 - p)), which is 1 at p = 0.276.
	for ones, want := range map[int]dataset.Scale{260: dataset.ScoreScale, 300: dataset.RawScale} {
		x := make([]float64, 1000)
		for i := range ones {
			x[i] = 1
		}
		x[0] = 1.5
		if f, is := form(x); !is || f.Scale != want {
			t.Errorf("%d of 1000 ones: %+v", ones, f)
		}
	}
	// Of a symmetric column with a share q in its tails at ±1 the kurtosis is 1/q - 3, which is 3 at q = 1/6.
	for tails, want := range map[int]dataset.Scale{150: dataset.ScoreScale, 180: dataset.RawScale} {
		x := make([]float64, 1000)
		for i := range tails {
			x[i] = float64(2*(i%2) - 1)
		}
		if f, is := form(x); !is || f.Scale != want {
			t.Errorf("%d of 1000 in the tails: %+v", tails, f)
		}
	}
}

// Units do not change the scales of columns.
func TestFormsInOtherUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	const n, d = 500, 4
	x := matrix.New[float64](n, d)
	for i := range n {
		a := rng.NormFloat64()
		x.Set(i, 0, math.Exp(a))
		x.Set(i, 1, 20+a+0.5*rng.NormFloat64())
		x.Set(i, 2, math.Exp(0.3*a+0.4*rng.NormFloat64()))
		x.Set(i, 3, 5+math.Abs(a)+math.Pow(rng.Float64(), 4))
	}
	var want []Form
	for _, unit := range []float64{1, 1e-6, 1e6} {
		y := matrix.New[float64](n, d)
		for i, v := range x.Data {
			y.Data[i] = unit * v
		}
		got := must.Get(Forms(context.Background(), y, nil, 1, 1))
		if want == nil {
			want = got
			if want[0].Scale != dataset.LogScale || want[1].Scale != dataset.RawScale {
				t.Errorf("scales %v", want)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("in units of %v: %v, want %v", unit, got, want)
		}
	}
}

// A range has the given values, both ends, the quantiles at equal steps of the rank for half of the rest, and values at equal steps.
func TestRangeOfAColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	fit := NewFit([]string{"a"}, nil)
	for range 500 {
		must.Succeed(t, fit.Add([]float64{math.Exp(rng.NormFloat64())}))
	}
	f := must.Get(fit.Functions(DefaultSettings()))
	const n = 21
	given := []float64{f.Quantile(0, 0.05), f.Quantile(0, 0.95)}
	got := f.Range(0, n, given...)
	if len(got) > n || !slices.IsSorted(got) || got[0] != f.Quantile(0, 0) || got[len(got)-1] != f.Quantile(0, 1) {
		t.Errorf("%v", got)
	}
	want := slices.Clone(given)
	for k := range 10 {
		want = append(want, f.Quantile(0, float64(k)/9))
	}
	for k := 1; k < 10; k++ { // the other nine, at tenths of the range
		want = append(want, got[0]*(1-float64(k)/10)+got[len(got)-1]*float64(k)/10)
	}
	for _, x := range want {
		if !slices.ContainsFunc(got, func(v float64) bool { return math.Abs(v-x) < 1e-9 }) {
			t.Errorf("%v is not in %v", x, got)
		}
	}
}

// The negentropy is 0 for a Gaussian, ½·ln(2πe) - 1 for an exponential and ½·ln(2πe/12) for a uniform column, in any units.
func TestNegentropy(t *testing.T) {
	const n = 2000
	gaussian, exponential, uniform := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n { // quantiles
		u := (float64(i) + 0.5) / n
		gaussian[i], exponential[i], uniform[i] = normalQuantile(u), -math.Log(1-u), u
	}
	for _, c := range []struct {
		name string
		x    []float64
		want float64
	}{{"Gaussian", gaussian, 0}, {"exponential", exponential, math.Log(2*math.Pi*math.E)/2 - 1}, {"uniform", uniform, math.Log(2*math.Pi*math.E/12) / 2}} {
		for _, unit := range []float64{1, 1e-3, 50} {
			x := make([]float64, n)
			for i, v := range c.x {
				x[i] = unit*v + 7*unit
			}
			if got := negentropy(x, entropy(x, 1)); !(math.Abs(got-c.want) <= 0.08) { // spacings of √n values see the ends of a column less sharply
				t.Errorf("%s in units of %v: %v, want %v", c.name, unit, got, c.want)
			}
		}
	}
	must.Near(t, spread([]float64{1, 2, 6}), 14./3, 1e-12, "variance")
}

// TestClosestColumns checks that a strong negative correlation is closer than weak positive ones.
func TestClosestColumns(t *testing.T) {
	d := scalePredictors + 4
	scores := matrix.New[float64](d, d)
	scores.Set(0, 0, 1)
	for v := 1; v < d; v++ {
		r := 0.1 + 0.01*float64(v)
		if v == 2 {
			r = -0.9
		}
		scores.Set(v, 0, r)
		scores.Set(v, v, math.Sqrt(1-r*r))
	}
	want := []int{2} // and the last ones, whose correlations are the largest
	for v := d - scalePredictors + 1; v < d; v++ {
		want = append(want, v)
	}
	if got := closest(scores, 0); !slices.Equal(got, want) {
		t.Errorf("the closest columns are %v, want %v", got, want)
	}
}

// TestBlocksOfExpandedColumns compares the statistics of columns that were expanded before with those from rows, bit by bit.
func TestBlocksOfExpandedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const n = 3*blockRows + 17 // an incomplete block, and more blocks than half of the lanes
	x := matrix.New[float64](n, 4)
	columns := make([][]float64, 4)
	for i := range n {
		row := x.Row(i)
		row[0], row[2] = rng.ExpFloat64(), float64(rng.IntN(3))
		row[1], row[3] = row[0]*row[0]+rng.NormFloat64(), row[0]
		for j, v := range row {
			columns[j] = append(columns[j], v)
		}
	}
	scales := []dataset.Scale{dataset.ScoreScale, dataset.RawScale, dataset.RawScale, dataset.LogScale}
	var all []expanded
	for j, x := range columns {
		if j == 2 {
			all = append(all, categories(x))
			continue
		}
		all = append(all, onScores(x, ranksOf(x)).onScale(x, scales[j]))
	}
	got := must.Get(blocksOf(all, n))
	want := must.Get(OfRows(make([]string, 4), []bool{2: true, 3: false}, x, Settings{Curves: scaleCurves, MaxLevels: 3, Scales: scales}, 1))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("statistics of expanded columns %v, of rows %v", got, want)
	}
}
