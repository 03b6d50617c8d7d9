package trust

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// near is how close to its limit, relative to it, each table of these tests has its figure. A limit that moves by more fails a test.
const near = 0.05

// quantiles returns the n equally spaced quantiles of a standard Gaussian: a sample without chance.
func quantiles(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/float64(n)-1)
	}
	return x
}

// columnsOf returns a table of some columns.
func columnsOf(columns ...[]float64) *matrix.Dense[float64] {
	x := matrix.New[float64](len(columns[0]), len(columns))
	for j, c := range columns {
		for i, v := range c {
			x.Set(i, j, v)
		}
	}
	return x
}

// solve returns the t in [low, high] at which the increasing function f is want.
func solve(f func(float64) float64, low, high, want float64) float64 {
	for range 60 {
		if middle := (low + high) / 2; f(middle) < want {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// fails reports whether an assumption has evidence with a code.
func fails(a Assumption, code string) bool {
	for _, f := range a.Evidence {
		if f.Code == code {
			return true
		}
	}
	return false
}

// Two columns without edges fail from a ratio of variances of 1.5.
func TestVarianceRatioLimit(t *testing.T) {
	z := quantiles(20000)
	for _, c := range []struct {
		ratio float64
		fails bool
	}{{1, false}, {1.5 * (1 - near), false}, {1.5 * (1 + near), true}} {
		y := make([]float64, len(z))
		for i := range y {
			y[i] = 3 * math.Sqrt(c.ratio) * z[(i*7919)%len(z)]
		}
		x := make([]float64, len(z))
		for i := range x {
			x[i] = 3 * z[i]
		}
		for _, columns := range [][][]float64{{x, y}, {y, x}} {
			a := newJudging(evidenceOf(t, []string{"x", "y"}, columnsOf(columns...)), Model{Graph: graph.New(2), EqualVariances: true}).equalVariances()
			if fails(a, UnequalVariances) != c.fails {
				t.Errorf("ratio %v: %s: %s", c.ratio, a.Outcome, a.Sentence)
			}
		}
	}
}

// geary is the mean size of x over its standard deviation, and skewness the third standardized moment, of a column with mean 0.
func geary(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += math.Abs(v)
	}
	return sum / math.Sqrt(sumOfSquares(x)*float64(len(x)))
}

func skewness(x []float64) float64 {
	mean, cubes := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	squares := 0.0
	for _, v := range x {
		squares += (v - mean) * (v - mean) / float64(len(x))
		cubes += (v - mean) * (v - mean) * (v - mean) / float64(len(x))
	}
	return cubes / math.Pow(squares, 1.5)
}

// powered returns a column with heavier tails than those of z for p > 1.
func powered(z []float64, p float64) []float64 {
	x := make([]float64, len(z))
	for i, v := range z {
		x[i] = math.Copysign(math.Pow(math.Abs(v), p), v)
	}
	return x
}

// lognormal returns a column whose skewness grows with s.
func lognormal(z []float64, s float64) []float64 {
	x := make([]float64, len(z))
	for i, v := range z {
		x[i] = math.Exp(s * v)
	}
	return x
}

// Tails are reported where Geary's ratio is off √(2/π) by 0.05, and skewness from 1.
func TestNoiseShapeLimits(t *testing.T) {
	z := quantiles(4000)
	negative := func(x []float64) []float64 {
		for i := range x {
			x[i] = -x[i]
		}
		return x
	}
	byGeary := func(ratio float64) []float64 {
		return powered(z, solve(func(p float64) float64 { return -geary(powered(z, p)) }, 0.2, 5, -ratio))
	}
	bySkewness := func(s float64) []float64 {
		return lognormal(z, solve(func(s float64) float64 { return skewness(lognormal(z, s)) }, 0.01, 1, s))
	}
	normal := math.Sqrt(2 / math.Pi)
	for _, c := range []struct {
		what string
		x    []float64
		code string
		has  bool
	}{
		{"Gaussian", z, HeavyTails, false},
		{"heavy, below the limit", byGeary(normal - 0.05*(1-near)), HeavyTails, false},
		{"heavy, above the limit", byGeary(normal - 0.05*(1+near)), HeavyTails, true},
		{"light, below the limit", byGeary(normal + 0.05*(1-near)), LightTails, false},
		{"light, above the limit", byGeary(normal + 0.05*(1+near)), LightTails, true},
		{"skewed, below the limit", bySkewness(1 - near), Skewed, false},
		{"skewed, above the limit", bySkewness(1 + near), Skewed, true},
		{"skewed to the left, below the limit", negative(bySkewness(1 - near)), Skewed, false},
		{"skewed to the left, above the limit", negative(bySkewness(1 + near)), Skewed, true},
	} {
		a := newJudging(evidenceOf(t, []string{"x"}, columnsOf(c.x)), Model{Graph: graph.New(1)}).gaussian()
		if fails(a, c.code) != c.has {
			t.Errorf("%s: %s: %s", c.what, a.Outcome, a.Sentence)
		}
	}
}

// A skewed column with few distinct values is reported for its few values only.
func TestSkewedColumnOfFewValues(t *testing.T) {
	x := make([]float64, 200)
	for i := range x[:20] {
		x[i] = float64(1 + i%2)
	}
	for _, distinct := range []int{3, 200} {
		e := evidenceOf(t, []string{"x"}, columnsOf(x))
		e.Profile = &dataset.Profile{RowsRead: 200, RowsUsed: 200, Columns: []dataset.ColumnProfile{{Name: "x", Distinct: distinct, Skewness: skewness(x)}}}
		a := newJudging(e, Model{Graph: graph.New(1)}).gaussian()
		if few := distinct == 3; fails(a, FewLevels) != few || fails(a, Skewed) == few {
			t.Errorf("%d values: %v", distinct, a.Evidence)
		}
	}
}

// Noise whose size correlates with a parent, or with the size of a parent, by 0.15 fails. Parent and noise run over a grid, so that they are exactly
// independent, and no value lies where tails are cut off.
func TestSteadyNoiseLimit(t *testing.T) {
	const k = 60
	grid := func(f func(x float64) float64) (x, y []float64) {
		for i := range k {
			for j := range k {
				u, e := (2*float64(i)+1)/k-1, (2*float64(j)+1)/k-1
				x, y = append(x, u), append(y, 0.7*u+f(u)*e)
			}
		}
		return x, y
	}
	for what, shape := range map[string]func(a float64) (scale, of func(x float64) float64){
		"size": func(a float64) (scale, of func(x float64) float64) {
			return func(x float64) float64 { return 1 + a*math.Abs(x) }, math.Abs
		},
		"value": func(a float64) (scale, of func(x float64) float64) {
			return func(x float64) float64 { return 1 + a*x }, func(x float64) float64 { return x }
		},
	} {
		correlation := func(a float64) float64 {
			scale, of := shape(a)
			x, y := grid(scale)
			r := leastSquares(y, x)
			for i := range r {
				r[i], x[i] = math.Abs(r[i]), of(x[i])
			}
			return math.Sqrt(1 - sumOfSquares(leastSquares(r, x))/sumOfSquares(leastSquares(r)))
		}
		for _, by := range []float64{0.15 * (1 - near), 0.15 * (1 + near)} {
			for _, sign := range []float64{1, -1} {
				a := sign * solve(func(a float64) float64 { return correlation(sign * a) }, 0, 0.6, by)
				scale, _ := shape(a)
				x, y := grid(scale)
				got := newJudging(evidenceOf(t, []string{"x", "y"}, columnsOf(x, y)), Model{Graph: parentsOf(2), FreeNoise: true}).steady()
				if (got.Outcome == Failed) != (by > 0.15) {
					t.Errorf("%s, %v: %s: %s", what, by*sign, got.Outcome, got.Sentence)
				}
				if with := map[string]string{"size": "the size of x", "value": "y with x"}[what]; got.Outcome == Failed && !strings.Contains(got.Sentence, with) {
					t.Errorf("%s: %s", what, got.Sentence)
				}
			}
		}
	}
}

// Effects count as additive where less than a tenth of what a table explains is due to interactions. In a balanced design of two binary
// parents with contrasts α, β and γ of the probability, that share is γ²/(α²+β²+γ²).
func TestInteractionShareLimit(t *testing.T) {
	const perCell, contrast = 20000, 0.2
	for _, share := range []float64{0.1 * (1 - near), 0.1 * (1 + near)} {
		both := math.Sqrt(2 * contrast * contrast * share / (1 - share))
		var a, b, y []float64
		for cell := range 4 {
			u, v := float64(cell/2), float64(cell%2)
			p := 0.5 + contrast*(2*u-1) + contrast*(2*v-1) + both*(2*u-1)*(2*v-1)
			for i := range perCell {
				one := 0.0
				if float64(i) < p*perCell {
					one = 1
				}
				a, b, y = append(a, u), append(b, v), append(y, one)
			}
		}
		j := newJudging(evidenceOf(t, []string{"a", "b", "y"}, columnsOf(a, b, y)), Model{Graph: parentsOf(3), Effects: score.TableEffects})
		if got, ok := j.interaction(2, []int{0, 1}); !ok || !(math.Abs(got-share) <= 0.002) {
			t.Errorf("the share is %v, want %v", got, share)
		}
		if got := j.interactions(); (got.Outcome == Failed) != (share < 0.1) {
			t.Errorf("share %v: %s: %s", share, got.Outcome, got.Sentence)
		}
	}
}

// A combination of the parents needs five rows on average: of 25 combinations, 125 rows are judged and 124 are not.
func TestRowsPerCombination(t *testing.T) {
	var a, b, y []float64
	for cell := range 25 {
		u, v := cell/5, cell%5
		ones := 0 // the number of ones among 5 rows: exactly additive
		if u >= 2 {
			ones += 4
		}
		if v >= 2 {
			ones++
		}
		for i := range 5 {
			one := 0.0
			if i < ones {
				one = 1
			}
			a, b, y = append(a, float64(u)), append(b, float64(v)), append(y, one)
		}
	}
	for _, n := range []int{125, 124} {
		j := newJudging(evidenceOf(t, []string{"a", "b", "y"}, columnsOf(a[:n], b[:n], y[:n])), Model{Graph: parentsOf(3), Effects: score.TableEffects})
		if _, ok := j.interaction(2, []int{0, 1}); ok != (n == 125) {
			t.Errorf("%d rows: judged %v", n, ok)
		}
		if got := j.interactions(); (got.Outcome == Failed) != (n == 125) {
			t.Errorf("%d rows: %s: %s", n, got.Outcome, got.Sentence)
		}
	}
}

// With 100 rows chance is larger than the limits. The largest of k standardized figures stays below √(2 ln k) + 3 standard errors: those of
// the logarithm of a variance, √(2/n), of Geary's ratio, √(1 - 3/π)/√n, of skewness, √(6/n), and of a correlation, 1/√n.
func TestChanceBounds(t *testing.T) {
	const n = 100
	z := quantiles(n)
	bound := func(k float64) float64 { return math.Sqrt(2*math.Log(k)) + 3 }
	for _, off := range []float64{1 - near, 1 + near} {
		scaled := make([]float64, n)
		// Two logarithms differ.
		ratio := math.Exp(off * 2 * bound(2) * math.Sqrt(2./n))
		for i := range z {
			scaled[i] = math.Sqrt(ratio) * z[i*37%n]
		}
		a := newJudging(evidenceOf(t, []string{"x", "y"}, columnsOf(scaled, z)), Model{Graph: graph.New(2), EqualVariances: true}).equalVariances()
		if fails(a, UnequalVariances) != (off > 1) {
			t.Errorf("variances, %v: %s", off, a.Sentence)
		}
		ratio = math.Sqrt(2/math.Pi) - off*bound(2)*math.Sqrt(1-3/math.Pi)/math.Sqrt(n)
		heavy := powered(z, solve(func(p float64) float64 { return -geary(powered(z, p)) }, 0.2, 5, -ratio))
		a = newJudging(evidenceOf(t, []string{"x"}, columnsOf(heavy)), Model{Graph: graph.New(1)}).gaussian()
		if fails(a, HeavyTails) != (off > 1) {
			t.Errorf("tails, %v: %s", off, a.Sentence)
		}
		const many = 20 // columns, so that the bound is above 1
		names, columns := make([]string, many), make([][]float64, many)
		skew := lognormal(z, solve(func(s float64) float64 { return skewness(lognormal(z, s)) }, 0.01, 2, off*bound(2*many)*math.Sqrt(6./n)))
		for k := range names {
			names[k], columns[k] = string(rune('a'+k)), skew
		}
		a = newJudging(evidenceOf(t, names, columnsOf(columns...)), Model{Graph: graph.New(many)}).gaussian()
		if fails(a, Skewed) != (off > 1) {
			t.Errorf("skewness, %v: %s", off, a.Sentence)
		}
		var x, y []float64
		table := func(a float64) float64 { // parent and noise on a grid of 10 by 10
			x, y = nil, nil
			for i := range 10 {
				for j := range 10 {
					u, e := (2*float64(i)+1)/10-1, (2*float64(j)+1)/10-1
					x, y = append(x, u), append(y, 0.7*u+(1+a*math.Abs(u))*e)
				}
			}
			r, size := leastSquares(y, x), make([]float64, n)
			for i := range r {
				r[i], size[i] = math.Abs(r[i]), math.Abs(x[i])
			}
			return math.Sqrt(1 - sumOfSquares(leastSquares(r, size))/sumOfSquares(leastSquares(r)))
		}
		table(solve(table, 0, 50, off*bound(2)/math.Sqrt(n)))
		got := newJudging(evidenceOf(t, []string{"x", "y"}, columnsOf(x, y)), Model{Graph: parentsOf(2), FreeNoise: true}).steady()
		if (got.Outcome == Failed) != (off > 1) {
			t.Errorf("size of the noise, %v: %s: %s", off, got.Outcome, got.Sentence)
		}
	}
}

// correlated returns the moments of n rows of two columns of a correlation with 1 - r² as given.
func correlated(t *testing.T, n int, left float64) *dataset.Moments {
	t.Helper()
	all, both := float64(n), float64(n)*math.Sqrt(1-left)
	m := must.Get(dataset.RestoreMoments([]string{"x", "y"}, n, []float64{0, 0}, nil, []float64{all, both, both, all}, nil, nil))
	return m
}

// Columns are nearly collinear where 1 - R² is at most 0.001, and poorly conditioned from 1e8: (1 + r)/(1 - r) is about 4/(1 - r²).
func TestCollinearityLimits(t *testing.T) {
	for _, c := range []struct {
		left float64
		code string
		want bool
	}{
		{1e-3 * (1 + near), NearCollinear, false}, {1e-3 * (1 - near), NearCollinear, true},
		{4e-8 * (1 + near), Condition, false}, {4e-8 * (1 - near), Condition, true},
	} {
		p := Examine(correlated(t, 1_000_000, c.left), nil)
		if got := slices.ContainsFunc(p.Findings, func(f Finding) bool { return f.Code == c.code }); got != c.want {
			t.Errorf("1 - R² = %v: %s is found: %v", c.left, c.code, got)
		}
	}
}

// A column explains 1/(n - 1) of another one by chance, so that 1 - R² counts (n - 1)/(n - 2) times: 29/28 for 30 rows.
func TestCollinearityOfFewRows(t *testing.T) {
	for left, want := range map[float64]bool{0.98e-3: false, 0.95e-3: true} {
		p := Examine(correlated(t, 30, left), nil)
		if got := slices.ContainsFunc(p.Findings, func(f Finding) bool { return f.Code == NearCollinear }); got != want {
			t.Errorf("1 - R² = %v in 30 rows is found: %v", left, got)
		}
	}
}

// Neighbouring rows are alike from a correlation of 0.2.
func TestAlikeRowsLimit(t *testing.T) {
	const n = 6000
	z := quantiles(n)
	moving := func(a float64) []float64 { // each row has a part of the noise of the next
		x := make([]float64, n)
		for i := range x {
			x[i] = z[i*2741%n] + a*z[(i+1)*2741%n]
		}
		return x
	}
	rho := func(x []float64) float64 {
		sum := 0.0
		for i := range x[1:] {
			sum += x[i] * x[i+1]
		}
		return sum / sumOfSquares(x) * n / (n - 1)
	}
	for _, by := range []float64{0.2 * (1 - near), 0.2 * (1 + near)} {
		x := moving(solve(func(a float64) float64 { return rho(moving(a)) }, -0.5, 0.9, by))
		a := newJudging(evidenceOf(t, []string{"x"}, columnsOf(x)), Model{Graph: graph.New(1)}).rows()
		if fails(a, AlikeNeighbours) != (by > 0.2) {
			t.Errorf("correlation %v: %s", by, a.Sentence)
		}
	}
}

// Rows hardly repeat by chance if a column has a twentieth as many values as rows, at least 100 and at most 4096/20.
func TestManyValuesLimit(t *testing.T) {
	for _, c := range []struct{ rows, least int }{{1000, 100}, {2000, 100}, {3000, 150}, {4096, 204}, {100_000, 204}} {
		for _, kind := range []string{"number", "text"} {
			for _, distinct := range []int{c.least - 1, c.least} {
				j := &judging{Evidence: Evidence{Profile: &dataset.Profile{RepeatedOf: c.rows}}, profile: map[string]*dataset.ColumnProfile{"x": {Kind: kind, Distinct: distinct}}}
				if got := j.manyValues(); got != (distinct == c.least && kind != "text") {
					t.Errorf("%d rows, %d values of a %s: %v", c.rows, distinct, kind, got)
				}
			}
		}
	}
}

// A table that is sorted by several columns has independent rows: the correlation with up to four monotone columns is removed. The
// residuals of y follow the sum of monotone functions of the row.
func TestSortedTablesHaveIndependentRows(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(9, 1))
	up, bent, y := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		at := float64(i) / n
		up[i], bent[i] = at, -at*at
		y[i] = 3*at - 4*at*at + 0.3*rng.NormFloat64()
	}
	for _, c := range []struct {
		x    *matrix.Dense[float64]
		want bool
	}{{columnsOf(y, up, bent), false}, {columnsOf(y, up), true}} {
		names := []string{"y", "u", "v"}[:c.x.Cols]
		a := newJudging(evidenceOf(t, names, c.x), Model{Graph: graph.New(c.x.Cols)}).rows()
		if fails(a, AlikeNeighbours) != c.want {
			t.Errorf("%d columns: %s", c.x.Cols, a.Sentence)
		}
	}
}

// Two categories are ordered, three are not.
func TestNominalColumns(t *testing.T) {
	x := matrix.New[float64](120, 3)
	for i := range x.Rows {
		copy(x.Row(i), []float64{float64(i % 2), float64(i % 3), float64(i % 3)})
	}
	a := newAsymmetry(evidenceOf(t, []string{"a", "b", "c"}, x), Model{Kinds: []kind.Column{{Kind: kind.Categorical}, {Kind: kind.Categorical}, {Kind: kind.Ordinal}}})
	if want := []bool{false, true, false}; !slices.Equal(a.nominal, want) {
		t.Errorf("nominal: %v, want %v", a.nominal, want)
	}
}

// In a sample only rows that follow each other in the table count, from 50 pairs on: here two of three rows are in the sample, and the
// two of a pair are equal, or correlate by 0.3, or there are too few pairs.
func TestNeighboursInASample(t *testing.T) {
	for _, c := range []struct {
		rows, pairs int
		part        float64
		want        bool
	}{{200, 100, 0.3, true}, {200, 100, 0.12, false}, {120, 60, 1, true}, {120, 49, 1, false}} {
		z := quantiles(c.rows)
		rng := rand.New(rand.NewPCG(4, uint64(c.rows)))
		rng.Shuffle(len(z), func(i, j int) { z[i], z[j] = z[j], z[i] })
		e := evidenceOf(t, []string{"x"}, columnsOf(z))
		for k := 0; k < c.rows; k += 2 {
			a, b := z[k], z[k+1]-a0(z)*z[k]
			e.Sample.Values[k], e.Sample.Values[k+1] = a, c.part*a+math.Sqrt(1-c.part*c.part)*b
			e.Sample.Index[k] = 2 * k
			e.Sample.Index[k+1] = 2*k + 1
			if k >= 2*c.pairs {
				e.Sample.Index[k+1]++
			}
		}
		if a := newJudging(e, Model{Graph: graph.New(1)}).rows(); fails(a, AlikeNeighbours) != c.want {
			t.Errorf("%+v: %s", c, a.Sentence)
		}
	}
}

// a0 returns the slope of the second of two neighbours on the first, so that subtracting it leaves them uncorrelated.
func a0(z []float64) float64 {
	var xx, xy float64
	for k := 0; k < len(z); k += 2 {
		xx, xy = xx+z[k]*z[k], xy+z[k]*z[k+1]
	}
	return xy / xx
}

// The square of the prediction by two parents finds their product, which neither the squares nor the cubes of the parents explain:
// y = a + b + a·b/2 on a grid of both.
func TestProductOfTwoParents(t *testing.T) {
	const side = 24
	z := quantiles(side)
	var a, b, y []float64
	for i := range side * side {
		u, v := z[i/side], z[i%side]
		a, b, y = append(a, u), append(b, v), append(y, u+v+u*v/2)
	}
	e := evidenceOf(t, []string{"a", "b", "y"}, columnsOf(a, b, y))
	for _, free := range []bool{false, true} {
		got := newJudging(e, Model{Graph: graph.FromParents([][]int{nil, nil, {0, 1}}), FreeNoise: free}).effects()
		if got.Outcome != Failed || !strings.Contains(got.Evidence[0].Sentence, "the square of the fitted values explains") {
			t.Errorf("free noise %v: %s: %s", free, got.Outcome, got.Sentence)
		}
	}
}

// Tails are cut at three standard deviations before they are squared, so that outliers are no curve: with the value 40 cut to 3, the
// bent column is that of a table with 3.
func TestTailsAreCut(t *testing.T) {
	z := quantiles(100)
	for _, power := range []string{"square", "cube"} {
		want, got := make([]float64, 101), make([]float64, 101)
		bend(want, append(slices.Clone(z), 3), power)
		bend(got, append(slices.Clone(z), 40), power)
		if !slices.Equal(got, want) {
			t.Errorf("%s of 40: %v, want %v as for 3", power, got[100], want[100])
		}
		bend(got, append(slices.Clone(z), 2.9), power)
		if math.Abs(got[100]-want[100]) < 1e-3 {
			t.Errorf("%s of 2.9 is cut", power)
		}
	}
}

// Without a profile a column has two values exactly if its variance is (max - mean)·(mean - min). A single other value in 1000 rows lowers the
// variance by a share of 4e-4.
func TestTwoValuesByMoments(t *testing.T) {
	for _, other := range []float64{1, 0.9} {
		x := make([]float64, 1000)
		for i := range 500 {
			x[i] = 1
		}
		x[0] = other
		m := evidenceOf(t, []string{"x"}, columnsOf(x)).Moments
		e := &examination{m: m, std: m.Std()}
		if got := e.twoValued(0); got != (other == 1) {
			t.Errorf("values 0, 1 and %v: two values: %v", other, got)
		}
	}
}
