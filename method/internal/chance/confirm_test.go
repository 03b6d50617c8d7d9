package chance

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// TestScoresStepByStep compares the test of normal scores with the partial correlation r of the scores of the columns:
// (n - k - 2.5)·ln(1/(1 - r²)) with one degree of freedom.
func TestScoresStepByStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 7))
	x := related(rng, 60, 4)
	s := New(input(t, x), 0, nil).some
	for _, others := range [][]int{{0}, {0, 3}} {
		var condition [][]float64
		for _, z := range others {
			condition = append(condition, ranked(column(x, z)))
		}
		a, b := leastSquares(t, ranked(column(x, 1)), condition...), leastSquares(t, ranked(column(x, 2)), condition...)
		r2 := dot(a, b) * dot(a, b) / (dot(a, a) * dot(b, b))
		for _, counted := range []float64{60, 30} {
			want := independence.ChiSquared(-(counted-2.5-float64(len(others)))*math.Log(1-r2), 1)
			near(t, "p", s.scoresP(1, 2, others, counted), want, 1e-9)
		}
		near(t, "p of fewer rows than columns", s.scoresP(1, 2, others, 2), 1, 0)
	}
}

// TestConfirmation checks that a p-value of the residuals of at most 0.01 must be confirmed by the normal scores of the columns under
// linear effects, and not under other models or with a category among the columns.
func TestConfirmation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, d = 1000, 4
	x := matrix.New[float64](n, d)
	for i := range n {
		for j := range 3 {
			x.Set(i, j, math.Exp(rng.NormFloat64()))
		}
		x.Set(i, 3, float64(i%2))
	}
	for j := range 3 {
		x.Set(0, j, 200)
	}
	fit := basis.NewFit([]string{"a", "b", "c", "d"}, make([]bool, d))
	must.Succeed(t, fit.Add(x.Data))
	curves := must.Get(fit.Functions(basis.DefaultSettings()))
	category := []bool{false, false, false, true}
	for _, c := range []struct {
		name   string
		e      Functions
		others []int
		want   bool
	}{
		{"linear", Functions{Levels: make([]bool, d)}, []int{2}, true},
		{"linear with two values", Functions{Levels: make([]bool, d)}, []int{2, 3}, true},
		{"with a category", Functions{Levels: category}, []int{2, 3}, false},
		{"a category that is not used", Functions{Levels: category}, []int{2}, true},
		{"scales", Functions{Levels: make([]bool, d), Curves: curves, Straight: true}, []int{2}, false},
	} {
		conditions := newConditions(c.e, New(input(t, x), 0, nil).some)
		plain := conditions.residualP(1, 0, c.others, 1)
		scored := conditions.s.scoresP(1, 0, c.others, n)
		if plain > 1e-4 || scored < 0.01 {
			t.Fatalf("%s: p = %v of the residuals and %v of the scores, want less than 1e-4 and more than 0.01", c.name, plain, scored)
		}
		want := plain
		if c.want {
			want = scored
		}
		near(t, c.name+": p", conditions.p(1, 0, c.others, 1), want, 1e-12)
	}
	// A p-value above 0.01 needs no confirmation, and one without other columns has none.
	y := related(rng, 100, 3)
	for i := range y.Rows {
		y.Set(i, 1, y.At(i, 1)*y.At(i, 1)*y.At(i, 1))
	}
	linear := newConditions(Functions{Levels: make([]bool, 3)}, New(input(t, y), 0, nil).some)
	high := 0
	for x := range 3 {
		v, z := (x+1)%3, (x+2)%3
		near(t, "p without other columns", linear.p(x, v, nil, 1), linear.residualP(x, v, nil, 1), 0)
		if p := linear.residualP(x, v, []int{z}, 1); p > 0.01 {
			high++
			near(t, "p above 0.01", linear.p(x, v, []int{z}, 1), p, 0)
		}
	}
	if high == 0 {
		t.Error("no p-value is above 0.01")
	}
}

// TestSignsAreFinal checks that the quick test of signs decides between numbers if its p-value is at most the level, unless rare values
// make that doubtful, and never with categories.
func TestSignsAreFinal(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 7))
	const n = 400
	x := matrix.New[float64](n, 4)
	for i := range n {
		a := rng.NormFloat64()
		x.Set(i, 0, a)
		x.Set(i, 1, a+0.5*rng.NormFloat64())
		x.Set(i, 2, math.Round(a)) // few values
		x.Set(i, 3, math.Round(x.At(i, 1)))
	}
	number := Functions{Levels: make([]bool, 4)}
	whole := New(input(t, x), 0, nil).some
	sign := func(j int) []float64 { c := append([]float64(nil), column(x, j)...); centre(c); return c }
	p := whole.signs(sign(0), sign(1), n)
	if !(p > 0 && p < 1e-20) {
		t.Fatalf("p = %v of the signs", p)
	}
	for _, c := range []struct {
		level float64
		final bool
	}{{2 * p, true}, {p / 2, false}, {0, false}} {
		got := newConditions(number, New(input(t, x), c.level, nil).some).residualP(0, 1, nil, 1)
		if (got == p) != c.final {
			t.Errorf("level %v: p = %v, and %v of the signs, want the latter: %v", c.level, got, p, c.final)
		}
	}
	for name, levels := range map[string][]bool{"a cause": {false, false, true, false}, "an effect": {false, false, false, true}} {
		e := Functions{Levels: levels}
		exact, quick := newConditions(e, whole).residualP(2, 3, nil, 1), newConditions(e, New(input(t, x), 0.5, nil).some).residualP(2, 3, nil, 1)
		near(t, name+" of categories: p", quick, exact, 0)
	}
	// Six of 24 rows have large values of both columns, and 14 rows of each are 0. The signs agree, and the table of zeros and others is too
	// sparse to show a relation.
	y := matrix.New[float64](24, 2)
	for i := range 10 {
		sign := 1.0
		if i >= 6 {
			sign = -0.01
		}
		y.Set(i, 0, sign*float64(9+i))
		if i >= 6 {
			i += 4
		}
		y.Set(i, 1, sign*float64(9+i))
	}
	few := New(input(t, y), 0.5, nil).some
	a, b := column(y, 0), column(y, 1)
	centre(a)
	centre(b)
	sparse := few.sparse(0, 1, 24)
	if signs := few.signs(a, b, 24); !(sparse > 0.1 && signs < 1e-5) {
		t.Fatalf("p = %v of the signs and %v of the sparse table, want less than 1e-5 and more than 0.1", signs, sparse)
	}
	if got := newConditions(number, few).residualP(0, 1, nil, 1); got < sparse {
		t.Errorf("p = %v, want at least %v", got, sparse)
	}
}

// TestRareSigns checks that the signs give no test if fewer than 20 % of the rows have one of them, in either column.
func TestRareSigns(t *testing.T) {
	const n = 100
	for _, c := range []struct {
		rare int
		want bool
	}{{19, false}, {21, true}, {79, true}, {81, false}} {
		rare, half := make([]float64, n), make([]float64, n)
		for i := range n {
			rare[i], half[i] = -1, -1
			if i < c.rare {
				rare[i] = 1
			}
			if i%2 == 0 || i < 15 {
				half[i] = 1
			}
		}
		s := &sheet{}
		for k, p := range []float64{s.signs(rare, half, n), s.signs(half, rare, n)} {
			if (p < 1) != c.want {
				t.Errorf("%d positive signs of column %d: p = %v, tested is %v", c.rare, k, p, c.want)
			}
		}
	}
}

// TestCountsInAnotherOrder checks that the G² test names columns of the input, whatever the order of the counts.
func TestCountsInAnotherOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 7))
	const n = 200
	x, columns := matrix.New[float64](n, 3), make([][]uint32, 3)
	for i := range n {
		a := rng.IntN(2)
		b := (a + rng.IntN(3)) % 3
		for j, v := range []int{a, b, (b + rng.IntN(2)) % 4} {
			x.Set(i, j, float64(v))
			columns[j] = append(columns[j], uint32(v))
		}
	}
	test := New(input(t, x), 0, nil)
	plain, err := counts.New(columns, counts.Rows{})
	must.Succeed(t, err)
	want := test.Counts(plain, []int{0, 1, 2})
	order := []int{2, 0, 1}
	arranged := must.Get(counts.New([][]uint32{columns[2], columns[0], columns[1]}, counts.Rows{}))
	got := test.Counts(arranged, order)
	for x := range 3 {
		v, z := (x+1)%3, (x+2)%3
		near(t, "p", got(x, v, nil), want(x, v, nil), 1e-12)
		near(t, "p given a column", got(x, v, []int{z}), want(x, v, []int{z}), 1e-12)
	}
}

// TestCopiesOfRows checks that the rows of a sample of a table with several completions count once for each.
func TestCopiesOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 7))
	x := related(rng, 60, 2)
	a, b := leastSquares(t, ranked(column(x, 0))), leastSquares(t, ranked(column(x, 1)))
	r2 := dot(a, b) * dot(a, b) / (dot(a, a) * dot(b, b))
	in := input(t, x)
	in.Copies, in.RowWeight = 3, 0.5
	in.Moments.N = 30
	near(t, "p", New(in, 0, nil).Lines(t.Context())(0, 1, nil), independence.ChiSquared(-(90-2.5)*math.Log(1-r2), 1), 1e-9)
}

// TestFewestValues checks that a column is lumpy with as many values as ordered categories may have, and not with one more.
func TestFewestValues(t *testing.T) {
	for values, want := range map[int]bool{kind.FewLevels: true, kind.FewLevels + 1: false} {
		x := matrix.New[float64](4*values, 1)
		for i := range x.Rows {
			x.Set(i, 0, float64(i%values))
		}
		if got := New(input(t, x), 0, nil).some.lumpy(0) != nil; got != want {
			t.Errorf("%d values: lumpy is %v, want %v", values, got, want)
		}
	}
}

// TestNearlyDeterminedFunctions checks that a function is left out if the functions before it leave less than 1e-9 of its squares.
func TestNearlyDeterminedFunctions(t *testing.T) {
	for size, want := range map[float64]int{1e-4: 2, 1e-5: 1} { // the share that is left is the square
		x := matrix.New[float64](40, 3)
		for i := range x.Rows {
			a, b := float64(1-2*(i%2)), float64(1-2*(i/2%2))
			x.Set(i, 0, a)
			x.Set(i, 1, a+size*b)
			x.Set(i, 2, float64(i))
		}
		c := newConditions(Functions{Levels: make([]bool, 3)}, New(input(t, x), 0, nil).some)
		if got := len(c.on(2, []int{0, 1}).functions); got != want {
			t.Errorf("a difference of %v: %d functions, want %d", size, got, want)
		}
	}
}

// TestMomentsOfFewRows checks that a partial correlation of as many columns as rows has the p-value 1.
func TestMomentsOfFewRows(t *testing.T) {
	in := &method.Input{Moments: dataset.NewMoments([]string{"a", "b", "c", "d"})}
	rng := rand.New(rand.NewPCG(15, 7))
	x := related(rng, 9, 4)
	m := must.Get(dataset.MomentsOf(in.Names(), x, 1))
	in.Moments = m
	test := New(in, 0, nil)
	if p := test.moments(0, 1, []int{2, 3}); !(p < 1) {
		t.Errorf("p = %v of nine rows", p)
	}
	in.PairShare = func(int, int) float64 { return 0.5 } // 4.5 rows
	if p := test.moments(0, 1, []int{2, 3}); p != 1 {
		t.Errorf("p = %v of 4.5 rows with two other columns, want 1", p)
	}
}

// TestNormalColumnsNeedNoConfirmation draws normal columns whose causes explain nearly everything: the effect of column 1 is hidden from
// the scores of the columns, and seen in the residuals. One extreme row brings the confirmation back.
func TestNormalColumnsNeedNoConfirmation(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	const n = 1000
	x, others := matrix.New[float64](n, 6), []int{2, 3, 4, 5}
	for i := range n {
		sum := 0.05 * rng.NormFloat64()
		for j := 1; j < 6; j++ {
			x.Set(i, j, rng.NormFloat64())
			if sum += x.At(i, j); j == 1 {
				sum -= 0.99 * x.At(i, j)
			}
		}
		x.Set(i, 0, sum)
	}
	linear := func() *conditions {
		return newConditions(Functions{Levels: make([]bool, 6)}, New(input(t, x), 0, nil).some)
	}
	c := linear()
	plain, scored := c.residualP(1, 0, others, 1), c.s.scoresP(1, 0, others, n)
	if plain > 1e-6 || scored < 0.01 {
		t.Fatalf("p = %v of the residuals and %v of the scores, want less than 1e-6 and more than 0.01", plain, scored)
	}
	near(t, "p of normal columns", c.p(1, 0, others, 1), plain, 0)
	x.Set(0, 2, 20)
	c = linear()
	if p := c.p(1, 0, others, 1); p < 0.01 {
		t.Errorf("p = %v with an extreme row", p)
	}
}

// TestNormal checks which columns count as normal.
func TestNormal(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for name, c := range map[string]struct {
		draw func(i int) float64
		want bool
	}{
		"normal":      {func(int) float64 { return 5 + 3*rng.NormFloat64() }, true},
		"exponential": {func(int) float64 { return rng.ExpFloat64() }, false},
		"uniform":     {func(int) float64 { return rng.Float64() }, false},
		"constant":    {func(int) float64 { return 2 }, false},
		"one extreme row": {func(i int) float64 {
			if i == 0 {
				return 12
			}
			return rng.NormFloat64()
		}, false},
	} {
		x := matrix.New[float64](1000, 2)
		for i := range x.Rows {
			x.Set(i, 0, c.draw(i))
			x.Set(i, 1, rng.NormFloat64())
		}
		s := New(input(t, x), 0, nil).some
		for range 2 { // the second answer is remembered
			if got := s.normal(0); got != c.want {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}
