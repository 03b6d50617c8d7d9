package score_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

func mixed(t testing.TB, x *matrix.Dense[float64], categorical []bool) *score.Mixed {
	t.Helper()
	return must.Get(score.NewMixed(blocks(t, x, categorical, basis.DefaultSettings())))
}

// The slow twin: indicators of all levels but the first that occurs, and their residuals on those of the
// parents by least squares on the rows, one function after the other.
func mixedTwin(x *matrix.Dense[float64], categorical []bool, v int, parents []int) float64 {
	n := x.Rows
	columns := func(j int) (out [][]float64) {
		if !categorical[j] {
			c := make([]float64, n)
			for i := range n {
				c[i] = x.At(i, j)
			}
			return [][]float64{c}
		}
		seen := []float64{x.At(0, j)}
		for i := range n {
			if l := x.At(i, j); !slices.Contains(seen, l) {
				seen = append(seen, l)
				c := make([]float64, n)
				for m := range n {
					if x.At(m, j) == l {
						c[m] = 1
					}
				}
				out = append(out, c)
			}
		}
		return out
	}
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	// left returns the product of the squared lengths that are left of the columns of v after the basis and one
	// another: a determinant.
	left := func(basis [][]float64) float64 {
		var done [][]float64
		logs := 0.0
		for i, c := range append(slices.Clone(basis), columns(v)...) {
			c = slices.Clone(c)
			whole := dot(c, c)
			for range 2 { // twice is enough (Kahan, Parlett)
				for _, q := range done {
					a := dot(c, q) / dot(q, q)
					for k := range c {
						c[k] -= a * q[k]
					}
				}
			}
			rest := dot(c, c)
			if i >= len(basis) {
				logs += math.Log(rest)
			}
			if rest > 1e-10*whole {
				done = append(done, c)
			}
		}
		return logs
	}
	basis := [][]float64{ones}
	for _, p := range parents {
		basis = append(basis, columns(p)...)
	}
	price, one := 0.0, math.Log(float64(n))+math.Log(float64(x.Cols))
	for _, p := range parents {
		k := float64(len(columns(v)) * len(columns(p)))
		price += min(one*k, k*math.Pow(1-2/(9*k)+math.Sqrt(8*one/(9*k)), 3))
	}
	return float64(n)*(left(basis)-left([][]float64{ones})) + price
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func TestMixedAgainstRows(t *testing.T) {
	_, categorical, x := mixedTable(1, 6, 9, 300)
	e := mixed(t, x, categorical).Evaluator()
	for v := range 6 {
		others := without([]int{0, 1, 2, 3, 4, 5}, v)
		for k := range 6 {
			got, want := e.Score(v, others[:k]), mixedTwin(x, categorical, v, others[:k])
			if !(math.Abs(got-want) <= 1e-8*(1+math.Abs(want))) {
				t.Errorf("Score(%d, %v) = %v, on the rows %v", v, others[:k], got, want)
			}
		}
	}
}

func TestMixedAdditions(t *testing.T) {
	_, categorical, x := mixedTable(2, 7, 12, 200)
	lawful(t, mixed(t, x, categorical))
}

// The price is that of the cheapest edge: one parameter between two numbers, more where there are none.
func TestMixedPrice(t *testing.T) {
	x := matrix.New[float64](60, 4)
	for i := range x.Rows {
		for j, v := range []float64{float64(i % 4), float64(i * i % 11), float64(i % 3), float64(i / 7 % 5)} {
			x.Set(i, j, v)
		}
	}
	one := math.Log(60) + math.Log(4)
	for _, c := range []struct {
		categorical []bool
		want        float64
	}{{[]bool{true, false, true, false}, 1}, {[]bool{true, false, true, true}, 2}, {[]bool{true, true, true, true}, 6}} {
		if got := mixed(t, x, c.categorical).Price(); !(math.Abs(got/one-c.want) <= 1e-12) {
			t.Errorf("%v: price %v parameters, want %v", c.categorical, got/one, c.want)
		}
	}
}

// An edge with many parameters costs as much as chance gains with a probability of z standard deviations, where z² is four times the
// penalty of one parameter; less what chance gains on average.
func TestMixedPriceOfManyCategories(t *testing.T) {
	x := matrix.New[float64](1000, 2)
	for i := range x.Rows {
		x.Set(i, 0, float64(i%12))
		x.Set(i, 1, float64(i/12%12))
	}
	z := 2 * math.Sqrt(math.Log(1000)+math.Log(2))
	got := math.Log(independence.ChiSquared(mixed(t, x, []bool{true, true}).Price()+121, 121))
	if want := math.Log(math.Erfc(z/math.Sqrt2) / 2); !(math.Abs(got/want-1) <= 0.05) {
		t.Errorf("the price is exceeded by chance with probability exp(%v), want exp(%v)", got, want)
	}
}

// Graphs of one Markov equivalence class have the same total: all complete graphs, and the three of a chain.
func TestMixedIsEquivalent(t *testing.T) {
	_, categorical, x := mixedTable(3, 4, 5, 300)
	s := mixed(t, x, categorical)
	e := s.Evaluator()
	want := math.NaN()
	permute([]int{0, 1, 2, 3}, 0, func(order []int) {
		total := 0.0
		for i, v := range order {
			parents := slices.Clone(order[:i])
			slices.Sort(parents)
			total += e.Score(v, parents)
		}
		if math.IsNaN(want) {
			want = total
		}
		must.Near(t, total, want, 1e-8*math.Abs(want), "order %v", order)
	})
	chain := e.Score(0, nil) + e.Score(1, []int{0}) + e.Score(2, []int{1})
	fork := e.Score(0, []int{1}) + e.Score(1, nil) + e.Score(2, []int{1})
	back := e.Score(0, []int{1}) + e.Score(1, []int{2}) + e.Score(2, nil)
	if !(math.Abs(chain-fork) <= 1e-8*math.Abs(chain)) || !(math.Abs(chain-back) <= 1e-8*math.Abs(chain)) || !s.Equivalent() {
		t.Errorf("chain %v, fork %v, backwards %v", chain, fork, back)
	}
}

// Units, the names of the levels and with them the level without an indicator, and the order of columns change nothing.
func TestMixedDependsOnNoName(t *testing.T) {
	_, categorical, x := mixedTable(4, 6, 9, 240)
	perm := []int{3, 0, 5, 4, 1, 2} // column j goes to perm[j]
	y, kinds := matrix.New[float64](x.Rows, 6), make([]bool, 6)
	for j, p := range perm {
		kinds[p] = categorical[j]
		for i := range x.Rows {
			v := 7 - 3*x.At(i, j) // levels in reverse
			if !categorical[j] {
				v = 1e5*x.At(i, j) - 3
			}
			y.Set(i, p, v)
		}
	}
	e, f := mixed(t, x, categorical).Evaluator(), mixed(t, y, kinds).Evaluator()
	for v := range 6 {
		parents := without([]int{0, 1, 2, 3, 4, 5}, v)[1:4]
		var moved []int
		for _, p := range parents {
			moved = append(moved, perm[p])
		}
		slices.Sort(moved)
		if a, b := e.Score(v, parents), f.Score(perm[v], moved); !(math.Abs(a-b) <= 1e-7*(1+math.Abs(a))) {
			t.Errorf("Score(%d, %v) is %v, and %v under other names", v, parents, a, b)
		}
	}
}

func TestMixedDegenerate(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	kinds := []bool{true, false, true, true, false, false, true}
	for _, n := range []int{1, 2, 6, 80} {
		x := matrix.New[float64](n, 7)
		for i := range n {
			l, a := float64(rng.IntN(3)), rng.NormFloat64()
			// A constant category, a constant, a category and its copy, a number and its copy, a pair of levels.
			for j, v := range []float64{4, 4, l, 10 - l, a, 2 * a, float64(rng.IntN(2))} {
				x.Set(i, j, v)
			}
		}
		s := mixed(t, x, kinds)
		lawful(t, s)
		e := s.Evaluator()
		for v := 2; v < 7; v++ {
			if e.Score(v, nil) != 0 && n > 3 {
				t.Errorf("n = %d: Score(%d, nil) = %v, want 0", n, v, e.Score(v, nil))
			}
			if f := e.Score(v, []int{0, 1}); f <= 0 {
				t.Errorf("n = %d: constants explain column %d: %v", n, v, f)
			}
		}
		if n == 80 && (e.Score(3, []int{2}) > -1000 || e.Score(5, []int{4}) > -1000) {
			t.Errorf("copies: %v, %v", e.Score(3, []int{2}), e.Score(5, []int{4}))
		}
		if n == 6 && !math.IsInf(e.Score(6, []int{0, 1, 2, 3, 4, 5}), 1) {
			t.Errorf("six rows support six functions of the parents: %v", e.Score(6, []int{0, 1, 2, 3, 4, 5}))
		}
	}
}

// A regression on more than a quarter of the rows says nothing: 100 rows carry 24 parents and not 25.
func TestMixedCrowded(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	x := matrix.New[float64](100, 30)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	e := mixed(t, x, make([]bool, 30)).Evaluator()
	var parents []int
	for p := 1; p <= 25; p++ {
		parents = append(parents, p)
	}
	if some, more := e.Score(0, parents[:24]), e.Score(0, parents); math.IsInf(some, 1) || !math.IsInf(more, 1) {
		t.Errorf("24 parents score %v, 25 score %v", some, more)
	}
}
