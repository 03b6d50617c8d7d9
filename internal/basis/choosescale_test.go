package basis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// The entropy compares spacings of m = √(n·weight)/weight values, from 1 to n - 1, with those of Gaussian quantiles.
func TestSpacingsOfAnEntropy(t *testing.T) {
	for _, c := range []struct {
		n      int
		weight float64
		m      int
		apart  float64
	}{{100, 1, 10, 10}, {100, 0.25, 20, 5}, {100, 0.005, 99, 1}, {100, 0.0125, 89, math.Sqrt(1.25)}, {100, 400, 1, 200}, {100, 50, 1, math.Sqrt(5000)}} {
		x := make([]float64, c.n)
		want := 0.0
		for i := range x {
			x[i] = math.Pow(float64(i)+1, 1.5)
		}
		quantile := func(i int) float64 { return math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/float64(c.n)-1) }
		for i := range c.n - c.m {
			want += math.Log((x[i+c.m]-x[i])/(quantile(i+c.m)-quantile(i))) / float64(c.n-c.m)
		}
		want += math.Log(2*math.Pi*math.E)/2 + 1/(2*c.apart)
		must.Near(t, entropy(x, c.weight), want, 1e-9, "%d rows of weight %v", c.n, c.weight)
	}
	// Equal values have a millionth of the mean distance.
	must.Near(t, spacings([]float64{0, 0, 10, 14}, 1), (math.Log(14./4*1e-6)+math.Log(10)+math.Log(4))/3, 1e-9, "mean logarithm")
}

// bisect returns the strength at which f is want; f increases.
func bisect(f func(float64) float64, want float64) float64 {
	low, high := 1e-6, 3.0
	for range 100 {
		if mid := (low + high) / 2; f(mid) < want {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// Normal scores need a gain 2·n·negentropy of four parameters, 4·log n, before a column is fitted on any scale. The logarithm needs a gain
// n·log(var x / var log x) - 2·Σ log x of 2. Rows that count half have half of the gain.
func TestGainOfAScale(t *testing.T) {
	const n = 400
	column := func(f func(z float64) float64) *matrix.Dense[float64] {
		x := matrix.New[float64](n, 1)
		for i := range n {
			x.Set(i, 0, f(normalQuantile((float64(i)+0.5)/n)))
		}
		return x
	}
	heavy := func(a float64) *matrix.Dense[float64] {
		return column(func(z float64) float64 { return math.Sinh(a * z) })
	}
	skewed := func(a float64) *matrix.Dense[float64] {
		return column(func(z float64) float64 { return math.Exp(a * z) })
	}
	for _, weight := range []float64{1, 0.5} {
		rows := n * weight
		shape := func(a float64) float64 { return 2 * rows * negentropy(heavy(a).Data, entropy(heavy(a).Data, weight)) }
		scores := func(a float64) float64 {
			return shape(a) - rows*math.Log(spread(column(func(z float64) float64 { return z }).Data))
		}
		logs := func(a float64) float64 {
			x := skewed(a).Data
			var log []float64
			sum := 0.0
			for _, v := range x {
				log = append(log, math.Log(v))
				sum += math.Log(v)
			}
			return rows*math.Log(spread(x)/spread(log)) - 2*sum*weight
		}
		for _, c := range []struct {
			x    *matrix.Dense[float64]
			want dataset.Scale
		}{
			{heavy(bisect(scores, 3.8*math.Log(rows))), dataset.RawScale}, {heavy(bisect(scores, 4.4*math.Log(rows))), dataset.ScoreScale},
			{skewed(bisect(logs, 1.8)), dataset.RawScale}, {skewed(bisect(logs, 2.5)), dataset.LogScale},
		} {
			x := c.x.Data
			got, err := scaleOf(x, []expanded{onScores(x, ranksOf(x))}, nil, 0, entropy(x, weight), weight)
			if err != nil || got != c.want {
				t.Errorf("weight %v: scale %q, %v, want %q", weight, got, err, c.want)
			}
		}
		for gain, want := range map[float64]dataset.Scale{3.8: dataset.RawScale, 4.3: dataset.ScoreScale} {
			forms, err := Forms(t.Context(), heavy(bisect(shape, gain*math.Log(rows))), nil, weight, 1)
			if err != nil || forms[0].Scale != want {
				t.Errorf("weight %v, gain %v·log n: %+v, %v, want the scale %q", weight, gain, forms[0], err, want)
			}
		}
	}
}

// Forms needs 30 rows, uses 2000 at equal distances, and gives categorical columns no form.
func TestRowsOfForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2))
	forms := func(n int, categorical []bool, f func(i int) (a, b float64)) []Form {
		x := matrix.New[float64](n, 2)
		for i := range n {
			a, b := f(i)
			x.Set(i, 0, a)
			x.Set(i, 1, b)
		}
		return must.Get(Forms(t.Context(), x, categorical, 1, 1))
	}
	flags := func(i int) (a, b float64) { return float64(i % 2), float64(i / 2 % 2) }
	skewed := func(int) (a, b float64) { return math.Exp(rng.NormFloat64()), math.Exp(rng.NormFloat64()) }
	half := func(i int) (a, b float64) {
		if a, b = rng.NormFloat64(), rng.NormFloat64(); i%2 == 1 {
			a = math.Exp(a + 2)
		}
		return a, b
	}
	straight, log := Form{Straight: true}, Form{Scale: dataset.LogScale}
	for _, c := range []struct {
		what        string
		n           int
		categorical []bool
		rows        func(i int) (a, b float64)
		want        [2]Form
	}{
		{"29 rows", 29, nil, flags, [2]Form{}},
		{"30 rows", 30, nil, flags, [2]Form{straight, straight}},
		{"a category of few values", 30, []bool{true, false}, flags, [2]Form{{}, straight}},
		{"a category of many values", 300, []bool{true, false}, skewed, [2]Form{{}, log}},
		{"every other row", 4000, nil, half, [2]Form{}},
	} {
		if got := forms(c.n, c.categorical, c.rows); [2]Form(got) != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
}

// steps is a score of column 3: predictor 0 lowers it by 5, then 1 by 3, and 2 raises it.
type steps struct{}

func (steps) Score(int, []int) float64 { return 10 }

func (steps) Additions(dst []float64, _ int, parents []int) {
	switch len(parents) {
	case 0:
		dst[0], dst[1], dst[2] = 5, 9, 12
	case 1:
		dst[1], dst[2] = 2, 7
	case 2:
		dst[2] = 4
	}
}

// Forward selection ends when no predictor lowers the score.
func TestForwardSelection(t *testing.T) {
	if got := score.ForwardScore(steps{}, 4, 3, 3, 3); got != 2 {
		t.Errorf("score %v, want 2", got)
	}
}
