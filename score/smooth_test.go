package score_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

func smooth(t testing.TB, x *matrix.Dense[float64]) *score.Smooth {
	t.Helper()
	return must.Get(score.NewSmooth(blocks(t, x, nil, basis.DefaultSettings()), score.DefaultSmoothSettings()))
}

// The slow twin: the density of the response itself, a Gaussian vector with the n×n covariance matrix
// I + g·Σ λ_k φ_k φ_kᵀ, from functions that are written down here again, for every prior.
func smoothTwin(x *matrix.Dense[float64], v int, parents []int) float64 {
	return curvesTwin(x, nil, nil, v, parents)
}

// curvesTwin is smoothTwin with categorical and straight parents, and without the linear model if there are some.
func curvesTwin(x *matrix.Dense[float64], categorical, straight []bool, v int, parents []int) float64 {
	const curves, crossed = 7, 2
	n := x.Rows
	phi := func(j, k int) []float64 { // function k of column j, not centred
		out := make([]float64, n)
		for i := range n {
			below, equal := 0.0, 0.0
			for m := range n {
				if x.At(m, j) < x.At(i, j) {
					below++
				} else if x.At(m, j) == x.At(i, j) {
					equal++
				}
			}
			u := (below + equal/2) / float64(n)
			z := math.Sqrt2 * math.Erfinv(2*u-1)
			switch k {
			case 1, 2:
				out[i] = math.Sqrt2 * math.Cos(math.Pi*float64(k)*u)
			case 3:
				out[i] = (z*z - 1) / math.Sqrt2
			case 4:
				out[i] = (z*z*z - 3*z) / math.Sqrt(6)
			default:
				out[i] = math.Sqrt2 * math.Cos(math.Pi*float64(k-2)*u)
			}
			if k == 0 {
				out[i] = x.At(i, j)
			}
		}
		return out
	}
	unit := func(a []float64, scale bool) []float64 {
		mean, sum := 0.0, 0.0
		for _, f := range a {
			mean += f / float64(n)
		}
		out := make([]float64, n)
		for i, f := range a {
			out[i] = f - mean
			sum += out[i] * out[i] / float64(n)
		}
		if scale && sum > 0 {
			for i := range out {
				out[i] /= math.Sqrt(sum)
			}
		}
		return out
	}
	density := func(g, pair float64, functions int) float64 {
		c := matrix.New[float64](n, n)
		add := func(f []float64, variance float64) {
			for i := range n {
				for j := range n {
					c.Set(i, j, c.At(i, j)+variance*f[i]*f[j])
				}
			}
		}
		for i := range n {
			c.Set(i, i, 1)
		}
		for i, p := range parents {
			switch {
			case categorical != nil && categorical[p]:
				for _, f := range rarer(phi(p, 0)) {
					add(unit(f, true), 1)
				}
				continue
			case straight != nil && straight[p]:
				add(unit(phi(p, 0), true), 1)
				continue
			}
			for k := range functions {
				add(unit(phi(p, k), k == 0), g/float64(max(1, k*k)))
			}
			for _, q := range parents[:i] {
				if categorical != nil && (categorical[q] || straight[q]) {
					continue
				}
				for k := 1; k <= crossed && pair > 0; k++ {
					for l := 1; l <= crossed; l++ {
						f, h := phi(p, k), phi(q, l)
						for m := range f {
							f[m] *= h[m]
						}
						add(unit(f, false), g*pair/float64(k*k*l*l))
					}
				}
			}
		}
		y := unit(phi(v, 0), true)
		var lu matrix.LU[float64]
		if err := lu.Factor(c); err != nil {
			panic(err)
		}
		logdet, _ := lu.LogAbsDet()
		z := matrix.Of(n, 1, slices.Clone(y))
		lu.Solve(z, z)
		sum := 0.0
		for i := range n {
			sum += y[i] * z.At(i, 0)
		}
		return float64(n)*math.Log(sum/float64(n)) + logdet
	}
	best := min(density(1, 0, 1), density(10, 0, 1))
	if categorical != nil {
		best = math.Inf(1)
	}
	for _, g := range []float64{0.01, 0.1, 1, 10} {
		best = min(best, density(g, 0, curves+1), density(g, 0.3, curves+1))
	}
	sets := 1.0
	for k := range parents {
		sets *= float64(x.Cols-1-k) / float64(k+1)
	}
	return best + 2*math.Log(sets)
}

// rarer returns the indicators of all levels of a column but the most frequent, of several the least.
func rarer(x []float64) (out [][]float64) {
	levels := slices.Clone(x)
	slices.Sort(levels)
	levels = slices.Compact(levels)
	most := 0
	for _, l := range levels {
		f := make([]float64, len(x))
		for i, v := range x {
			if v == l {
				f[i] = 1
			}
		}
		out = append(out, f)
	}
	for k, f := range out {
		if dot(f, f) > dot(out[most], out[most]) {
			most = k
		}
	}
	return slices.Delete(out, most, most+1)
}

func TestSmoothAgainstDensity(t *testing.T) {
	_, x := curvedTable(1, 5, 8, 40, true)
	for i := range x.Rows { // ties in one column
		x.Set(i, 2, math.Round(2*x.At(i, 2)))
	}
	e := smooth(t, x).Evaluator()
	for _, c := range []struct {
		v       int
		parents []int
	}{{0, nil}, {0, []int{1}}, {1, []int{0}}, {3, []int{2}}, {2, []int{0, 4}}, {4, []int{0, 1, 2}}, {1, []int{0, 2, 3, 4}}} {
		got, want := e.Score(c.v, c.parents), smoothTwin(x, c.v, c.parents)
		if !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
			t.Errorf("Score(%d, %v) = %v, by the density %v", c.v, c.parents, got, want)
		}
	}
}

// Strong effects, linear or not, have priors as wide as they are: the score is that of the density, and linear effects are no curves.
func TestSmoothStrongEffects(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	x := matrix.New[float64](60, 3)
	for i := range x.Rows {
		r := x.Row(i)
		r[0] = rng.NormFloat64()
		r[1] = 9*r[0] + rng.NormFloat64()
		r[2] = 9*r[0]*r[0] + rng.NormFloat64()
	}
	s := smooth(t, x)
	for v, curved := range map[int]bool{1: false, 2: true} {
		got, want := s.Evaluator().Score(v, []int{0}), smoothTwin(x, v, []int{0})
		if !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
			t.Errorf("column %d: score %v, by the density %v", v, got, want)
		}
		if s.Curved(v, []int{0}) != curved {
			t.Errorf("column %d: curved is %v", v, !curved)
		}
	}
	if s.Curved(1, nil) {
		t.Error("a column without parents has curved effects")
	}
}

// lawful holds a score to the laws of local scores, with sets of any size. Its Additions factorizes another way than Score.
func lawful(t *testing.T, s search.Score) {
	t.Helper()
	if err := kit.LocalScore(s, kit.LocalScoreSettings{MaxParents: s.Variables() - 1, Tolerance: 1e-6}, 4); err != nil {
		t.Error(err)
	}
}

func TestSmoothAdditions(t *testing.T) {
	_, x := curvedTable(2, 6, 9, 200, true)
	s := smooth(t, x)
	lawful(t, s)
}

func TestSmoothIsUnitFree(t *testing.T) {
	_, x := curvedTable(3, 4, 5, 150, false)
	y := x.Clone()
	for i := range x.Rows {
		for j, a := range []float64{1e6, 1e-3, -2, 40} {
			y.Set(i, j, a*x.At(i, j)+1000*float64(j))
		}
	}
	e, f := smooth(t, x).Evaluator(), smooth(t, y).Evaluator()
	for v := range 4 {
		for _, p := range [][]int{nil, without([]int{0, 1, 2, 3}, v)} {
			if a, b := e.Score(v, p), f.Score(v, p); !(math.Abs(a-b) <= 1e-6*(1+math.Abs(a))) {
				t.Errorf("Score(%d, %v) is %v, and %v in other units", v, p, a, b)
			}
		}
	}
}

func TestSmoothOfShuffledColumns(t *testing.T) {
	_, x := curvedTable(4, 5, 8, 150, true)
	perm := []int{3, 0, 4, 1, 2} // column j goes to perm[j]
	y := matrix.New[float64](x.Rows, 5)
	for i := range x.Rows {
		for j, p := range perm {
			y.Set(i, p, x.At(i, j))
		}
	}
	e, f := smooth(t, x).Evaluator(), smooth(t, y).Evaluator()
	for v := range 5 {
		parents := without([]int{0, 1, 2, 3, 4}, v)[:3]
		var moved []int
		for _, p := range parents {
			moved = append(moved, perm[p])
		}
		slices.Sort(moved)
		if a, b := e.Score(v, parents), f.Score(perm[v], moved); !(math.Abs(a-b) <= 1e-7*(1+math.Abs(a))) {
			t.Errorf("Score(%d, %v) is %v, and %v with the columns in another order", v, parents, a, b)
		}
	}
}

// Constant, equal, two-valued and heavily tied columns, and more columns than rows: the score is finite, a constant
// is nobody's parent, and the contract holds.
func TestSmoothDegenerate(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{1, 2, 5, 60} {
		x := matrix.New[float64](n, 8)
		for i := range n {
			a := rng.NormFloat64()
			for j, v := range []float64{3, a, a, float64(rng.IntN(2)), math.Round(a), a * a, 1e100 * a, float64(i)} {
				x.Set(i, j, v)
			}
		}
		s := smooth(t, x)
		lawful(t, s)
		e := s.Evaluator()
		for v := range 8 {
			if a, b := e.Score(v, nil), e.Score(v, with(nil, (v+1)%8)); math.IsInf(a, 0) || math.IsInf(b, 0) {
				t.Errorf("n = %d: Score(%d) is %v, with a parent %v", n, v, a, b)
			}
			if v != 0 && e.Score(v, []int{0}) <= e.Score(v, nil) {
				t.Errorf("n = %d: a constant explains column %d", n, v)
			}
		}
		if e.Score(0, []int{1, 2}) <= e.Score(0, nil) {
			t.Errorf("n = %d: a constant is explained", n)
		}
	}
}

func TestSmoothRefuses(t *testing.T) {
	x := matrix.Of(4, 2, []float64{0, 1, 1, 2, 0, 4, 1, 3})
	if _, err := score.NewSmooth(blocks(t, x, []bool{true, false}, basis.DefaultSettings()), score.DefaultSmoothSettings()); !errors.Is(err, score.ErrCategorical) {
		t.Errorf("a categorical column: %v", err)
	}
	b := blocks(t, x, nil, basis.DefaultSettings())
	for _, set := range []score.SmoothSettings{{}, {Strengths: []float64{0}}, {Strengths: []float64{math.NaN()}}, {Linear: true, PairStrength: math.Inf(1)}} {
		if _, err := score.NewSmooth(b, set); err == nil {
			t.Errorf("%+v is taken", set)
		}
	}
	b.Start[1]++
	b.Gram = matrix.New[float64](3, 3)
	if _, err := score.NewSmooth(b, score.DefaultSmoothSettings()); !errors.Is(err, score.ErrBlocks) {
		t.Errorf("a Gram matrix of another size: %v", err)
	}
}

// Evaluators in several goroutines give the same bits as one.
func TestEvaluatorsAtTheSameTime(t *testing.T) {
	_, x := curvedTable(6, 6, 9, 120, true)
	_, categorical, y := mixedTable(6, 6, 9, 120)
	s, m := smooth(t, x), mixed(t, y, categorical)
	for _, evaluator := range []func() local{
		func() local { return s.Evaluator() }, func() local { return m.Evaluator() },
	} {
		run := func() []float64 {
			e := evaluator()
			var out []float64
			for v := range 6 {
				others := without([]int{0, 1, 2, 3, 4, 5}, v)
				for k := range 6 {
					out = append(out, e.Score(v, others[:k]))
					adds := make([]float64, 6)
					e.Additions(adds, v, others[:k])
					out = append(out, adds...)
				}
			}
			return out
		}
		want := run()
		got := make([][]float64, 4)
		var group sync.WaitGroup
		for g := range got {
			group.Go(func() { got[g] = run() })
		}
		group.Wait()
		for _, out := range got {
			if !slices.Equal(out, want) {
				t.Error("an evaluator beside others gives other numbers")
			}
		}
	}
}

// Beyond nine parents products are left out, in Score and Additions alike.
func TestSmoothAdditionsOfManyParents(t *testing.T) {
	_, x := curvedTable(7, 12, 20, 60, true)
	s := smooth(t, x)
	lawful(t, s)
}
