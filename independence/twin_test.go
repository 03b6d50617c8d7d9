package independence_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// residualSquares is the residual sum of squares of y on a constant and some columns, by the normal equations.
func residualSquares(t *testing.T, y []float64, columns ...[]float64) float64 {
	t.Helper()
	ones := make([]float64, len(y))
	for i := range ones {
		ones[i] = 1
	}
	columns = append([][]float64{ones}, columns...)
	dot := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	k := len(columns)
	a, b, beta := matrix.New[float64](k, k), matrix.New[float64](k, 1), matrix.New[float64](k, 1)
	for i, f := range columns {
		for j, g := range columns {
			a.Set(i, j, dot(f, g))
		}
		b.Set(i, 0, dot(f, y))
	}
	var lu matrix.LU[float64]
	must.Succeed(t, lu.Factor(a))
	lu.Solve(beta, b)
	sum := 0.0
	for i, v := range y {
		for j, f := range columns {
			v -= beta.At(j, 0) * f[i]
		}
		sum += v * v
	}
	return sum
}

// slopeOfLogGamma is the derivative of ln Γ by a central difference.
func slopeOfLogGamma(x float64) float64 {
	const h = 1e-4
	a, _ := math.Lgamma(x + h)
	b, _ := math.Lgamma(x - h)
	return (a - b) / (2 * h)
}

// three returns a category with three levels, a number that depends on it, and a number that depends on both.
func three(rng *rand.Rand, n int) (z []uint32, x, y []float64) {
	for range n {
		k := uint32(rng.IntN(3))
		a := 20 + rng.NormFloat64() + float64(k)
		z, x, y = append(z, k), append(x, a), append(y, rng.NormFloat64()+0.3*a-float64(k*k))
	}
	return z, x, y
}

func indicator(z []uint32, level uint32) []float64 {
	out := make([]float64, len(z))
	for i, k := range z {
		if k == level {
			out[i] = 1
		}
	}
	return out
}

// With v degrees of freedom of the residuals and q functions added, ln(RSS₀/RSS₁) has the mean ψ((v+q)/2) - ψ(v/2) for Gaussian noise,
// and Bartlett's factor v + q/2 - 1 makes it nearly q.
func TestAddedAgainstLeastSquares(t *testing.T) {
	z, x, y := three(rand.New(rand.NewPCG(1, 5)), 30)
	test := must.Get(independence.NewAdded([]independence.Column{codes(z, 3), {Values: x}, {Values: y}}))
	one, two := indicator(z, 1), indicator(z, 2)
	for _, c := range []struct {
		x, y          int
		given         []int
		before, after float64
		q, left       float64
	}{
		{1, 2, []int{0}, residualSquares(t, y, one, two), residualSquares(t, y, one, two, x), 1, 26},
		{0, 2, []int{1}, residualSquares(t, y, x), residualSquares(t, y, x, one, two), 2, 26},
		{0, 1, nil, residualSquares(t, x), residualSquares(t, x, one, two), 2, 27},
	} {
		got, err := test.Test(c.x, c.y, c.given)
		want := (c.left + c.q/2 - 1) * math.Log(c.before/c.after)
		if err != nil || got.DF != c.q || !(math.Abs(got.Statistic-want) <= 1e-9) || !(math.Abs(got.P-independence.ChiSquared(want, c.q)) <= 1e-12) {
			t.Errorf("%+v, %v; want %v with %v degrees of freedom", got, err, want, c.q)
		}
		if mean := (c.left + c.q/2 - 1) * (slopeOfLogGamma((c.left+c.q)/2) - slopeOfLogGamma(c.left/2)); !(math.Abs(mean-c.q) <= 1e-3*c.q) {
			t.Errorf("the mean of the statistic is %v, want %v", mean, c.q)
		}
	}
}

// Units and origins of the numbers change nothing.
func TestAddedInOtherUnits(t *testing.T) {
	z, x, y := three(rand.New(rand.NewPCG(6, 5)), 30)
	results := func(x, y []float64) (out []independence.Result) {
		test := must.Get(independence.NewAdded([]independence.Column{codes(z, 3), {Values: x}, {Values: y}}))
		for _, q := range [][3]int{{1, 2, 0}, {2, 1, 0}, {1, 0, 2}, {0, 1, 2}} {
			r := must.Get(test.Test(q[0], q[1], q[2:]))
			out = append(out, r)
		}
		return out
	}
	want := results(x, y)
	far, small := make([]float64, len(x)), make([]float64, len(y))
	for i := range x {
		far[i], small[i] = 1e7+x[i], 1e-9*y[i]-1e-3
	}
	for i, got := range results(far, small) {
		if !(math.Abs(got.Statistic-want[i].Statistic) <= 1e-5*(1+want[i].Statistic)) || got.DF != want[i].DF {
			t.Errorf("test %d: %+v, want %+v", i, got, want[i])
		}
	}
}

// The likelihood ratio of a logit on one category is G² of the two-way table.
func TestAddedOfLevelsIsG2(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	a, b := make([]uint32, 300), make([]uint32, 300)
	for i := range a {
		a[i] = uint32(rng.IntN(4))
		b[i] = uint32((int(a[i])/2 + rng.IntN(3)) % 3)
	}
	test := must.Get(independence.NewAdded([]independence.Column{codes(a, 4), codes(b, 3)}))
	table := must.Get(counts.New([][]uint32{a, b}, counts.Rows{}))
	g2 := must.Get(independence.NewG2(table, 1))
	want := must.Get(g2.Independent(0, 1, nil))
	for _, pair := range [][2]int{{0, 1}, {1, 0}} {
		if got, err := test.Test(pair[0], pair[1], nil); err != nil || got.DF != 6 || !(math.Abs(got.Statistic-want.Statistic) <= 1e-3) {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
}

// A number and a category: n·ln(RSS/n) of one regression less that of a regression in each category, divided by its mean under independence
// and times its degrees of freedom. n·ln of a residual variance has the mean n·(ψ((n-p)/2) + ln(2/n)), up to the same constant.
func TestMixedAgainstRegressionsByLevel(t *testing.T) {
	z, x, y := three(rand.New(rand.NewPCG(3, 5)), 40)
	test := must.Get(independence.NewMixed([]independence.Column{codes(z, 3), {Values: x}, {Values: y}}, 1))
	for _, given := range [][]int{nil, {1}} {
		mean := func(n float64) float64 { return n * (slopeOfLogGamma((n-1-float64(len(given)))/2) + math.Log(2/n)) }
		squares := func(rows func(uint32) bool) (n, rss float64) {
			var a, b []float64
			for i, k := range z {
				if rows(k) {
					a, b = append(a, x[i]), append(b, y[i])
				}
			}
			if given == nil {
				return float64(len(b)), residualSquares(t, b)
			}
			return float64(len(b)), residualSquares(t, b, a)
		}
		n, rss := squares(func(uint32) bool { return true })
		ratio, expected := n*math.Log(rss/n), mean(n)
		for level := range uint32(3) {
			m, own := squares(func(k uint32) bool { return k == level })
			ratio -= m * math.Log(own/m)
			expected -= mean(m)
		}
		df := 2 * float64(len(given)+2)
		got, err := test.Independent(0, 2, given)
		if want := ratio * df / expected; err != nil || got.DF != df || !(math.Abs(got.Statistic-want) <= 1e-5*want) {
			t.Errorf("given %v: %+v, %v; want %v with %v degrees of freedom", given, got, err, want, df)
		}
	}
}

// A category needs two rows more than its regression has parameters, and a logistic regression five rows for each parameter.
func TestMixedNeedsRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	table := func(sizes ...int) []independence.Column {
		var a, b []uint32
		var x, c []float64
		for level, n := range sizes {
			for i := range n {
				a, b = append(a, uint32(level)), append(b, uint32(i%2))
				x, c = append(x, rng.NormFloat64()), append(c, rng.NormFloat64())
			}
		}
		return []independence.Column{codes(a, len(sizes)), codes(b, 2), {Values: x}, {Values: c}}
	}
	for rows, want := range map[int]float64{4: 3, 3: 0} { // one predictor and a constant
		test := must.Get(independence.NewMixed(table(9, rows), 1))
		if got, err := test.Independent(0, 2, []int{3}); err != nil || got.DF != want {
			t.Errorf("a category of %d rows: %+v, %v; want %v degrees of freedom", rows, got, err, want)
		}
	}
	for rows, enough := range map[int]bool{15: true, 14: false} { // a constant, a number and an indicator
		test := must.Get(independence.NewMixed(table(rows-7, 7), 1))
		if _, err := test.Independent(0, 1, []int{3}); (err == nil) != enough || err != nil && !errors.Is(err, independence.ErrRows) {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}

// The statistic of blocks is -(n - 1 - k - (p + q + 1)/2)·ln Λ with Λ a ratio of determinants: |S_zxy|·|S_z|/(|S_zx|·|S_zy|).
func TestBlocksAgainstDeterminants(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, size = 80, 9
	start := []int{0, 3, 5, 9}
	x := matrix.New[float64](n, size)
	for i := range n {
		for j := range size {
			x.Set(i, j, rng.NormFloat64())
			if j > 0 {
				x.Set(i, j, x.At(i, j)+0.5*x.At(i, j-1))
			}
		}
	}
	gram := matrix.New[float64](size, size)
	for i := range size {
		for j := range size {
			for r := range n {
				gram.Set(i, j, gram.At(i, j)+x.At(r, i)*x.At(r, j)/n)
			}
		}
	}
	logDet := func(parts ...[]int) float64 {
		var set []int
		for _, p := range parts {
			set = append(set, p...)
		}
		if len(set) == 0 {
			return 0
		}
		a := matrix.New[float64](len(set), len(set))
		for i, u := range set {
			for j, v := range set {
				a.Set(i, j, gram.At(u, v))
			}
		}
		sum := 0.0
		for i := range set { // elimination without pivots: the matrix is positive definite
			sum += math.Log(a.At(i, i))
			for h := i + 1; h < len(set); h++ {
				by := a.At(h, i) / a.At(i, i)
				for c := i; c < len(set); c++ {
					a.Set(h, c, a.At(h, c)-by*a.At(i, c))
				}
			}
		}
		return sum
	}
	test := must.Get(independence.NewBlocks(gram, start, 2, n))
	px, py := []int{0, 1}, []int{3, 4} // the first two functions of each
	for _, z := range [][]int{nil, {5, 6, 7, 8}} {
		var given []int
		if z != nil {
			given = []int{2}
		}
		lambda := logDet(z, px, py) + logDet(z) - logDet(z, px) - logDet(z, py)
		want := -(n - 1 - float64(len(z)) - 2.5) * lambda
		if got, err := test.Independent(0, 1, given); err != nil || got.DF != 4 || !(math.Abs(got.Statistic-want) <= 1e-8) {
			t.Errorf("given %v: %+v, %v; want %v", given, got, err, want)
		}
		lambda = logDet(z, px, py[:1]) + logDet(z) - logDet(z, px) - logDet(z, py[:1])
		want = -(n - 1 - float64(len(z)) - 2) * lambda
		if got, err := test.Explains(0, 1, given); err != nil || got.DF != 2 || !(math.Abs(got.Statistic-want) <= 1e-8) {
			t.Errorf("explained, given %v: %+v, %v; want %v", given, got, err, want)
		}
	}
}

// A column that another determines counts with 10⁻¹⁰ of its variance left, as in the data checks.
func TestBlocksOfACopy(t *testing.T) {
	test := must.Get(independence.NewBlocks(matrix.Of(2, 2, []float64{4, 6, 6, 9}), []int{0, 1, 2}, 1, 50))
	want := (50 - 1 - 1.5) * 10 * math.Ln10
	if got, err := test.Independent(0, 1, nil); err != nil || !(math.Abs(got.Statistic-want) <= 1e-6) || got.P > 1e-100 {
		t.Errorf("%+v, %v; want %v", got, err, want)
	}
}
