package score_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// kinds is a table with curves between columns 0 to 2, a count (3) and categories (4).
func kinds(seed uint64, n int) (x *matrix.Dense[float64], categorical, straight []bool) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x = matrix.New[float64](n, 5)
	for i := range n {
		r := x.Row(i)
		r[4] = float64(rng.IntN(3))
		r[0] = rng.NormFloat64() + r[4]
		r[1] = r[0]*r[0] + 0.3*rng.NormFloat64()
		r[2] = math.Sin(2*r[0]) + r[1] + 0.3*rng.NormFloat64()
		r[3] = math.Round(math.Abs(r[2] + rng.NormFloat64()))
	}
	return x, []bool{false, false, false, false, true}, []bool{false, false, false, true, false}
}

func flexible(t testing.TB, x *matrix.Dense[float64], categorical, straight []bool) *score.Flexible {
	t.Helper()
	set := basis.DefaultSettings()
	set.Straight = straight
	return must.Get(score.NewFlexible(blocks(t, x, categorical, set), score.DefaultSmoothSettings()))
}

// The slow twin: the smaller of Mixed by least squares on the rows, and of the density of the response under curves with a margin of
// 10 + 0.05·n, if the column and one of its parents are curved.
func TestFlexibleAgainstRows(t *testing.T) {
	const n = 60
	x, categorical, straight := kinds(1, n)
	e := flexible(t, x, categorical, straight).Evaluator()
	curved := func(v int) bool { return v < 3 }
	used := 0
	for v := range 5 {
		others := without([]int{0, 1, 2, 3, 4}, v)
		for set := range 16 {
			var parents []int
			for k, p := range others {
				if set>>k&1 == 1 {
					parents = append(parents, p)
				}
			}
			want := mixedTwin(x, categorical, v, parents)
			if curved(v) && slices.ContainsFunc(parents, curved) {
				curves := curvesTwin(x, categorical, straight, v, parents) + 10 + 0.05*n
				if slices.Contains(parents, 4) { // the second indicator
					curves += math.Log(5)
				}
				if curves < want {
					want = curves
					used++
				}
			}
			if got := e.Score(v, parents); !(math.Abs(got-want) <= 1e-7*(1+math.Abs(want))) {
				t.Errorf("Score(%d, %v) = %v, on the rows %v", v, parents, got, want)
			}
		}
	}
	if used < 5 {
		t.Errorf("curves were used %d times: the test needs another table", used)
	}
}

func TestFlexibleLaws(t *testing.T) {
	x, categorical, straight := kinds(2, 200)
	s := flexible(t, x, categorical, straight)
	lawful(t, s)
	lawful(t, s.Additive())
	lawful(t, s.Straight([]int{1}))
	if s.Equivalent() || !s.Straight([]int{0, 1, 2}).Equivalent() {
		t.Error("a score with curves is equivalent, or one without is not")
	}
	if !s.Curved(1, []int{0}) || s.Curved(3, []int{2}) || s.Straight([]int{0}).Curved(1, []int{0}) {
		t.Error("curves are used for a count, or not for a parabola, or for a column without curves")
	}
}

// Without curves the score is Mixed, and with linear effects between Gaussian columns it chooses it.
func TestFlexibleWithoutCurves(t *testing.T) {
	_, categorical, x := mixedTable(3, 6, 9, 300)
	all := []bool{true, true, true, true, true, true}
	e, f := flexible(t, x, categorical, all).Evaluator(), mixed(t, x, categorical).Evaluator()
	g := flexible(t, x, categorical, nil)
	for v := range 6 {
		others := without([]int{0, 1, 2, 3, 4, 5}, v)
		if a, b := e.Score(v, others), f.Score(v, others); a != b {
			t.Errorf("Score(%d, %v) = %v, want %v", v, others, a, b)
		}
		if g.Curved(v, others) {
			t.Errorf("curves for column %d", v)
		}
	}
}

// TestOnlyCurved checks an effect with a linear part, one without, and a column without an effect, each against the scores with and
// without the parent.
func TestOnlyCurved(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(6, 1))
	x := matrix.New[float64](n, 5)
	for i := range n {
		r := x.Row(i)
		for j := range 3 {
			r[j] = rng.NormFloat64()
		}
		r[3] = r[0]*r[0] + 0.3*rng.NormFloat64()
		r[4] = math.Exp(r[1]) + 0.3*rng.NormFloat64()
	}
	s := flexible(t, x, nil, nil)
	e, lines := s.Evaluator(), s.Lines().Evaluator()
	for _, c := range []struct {
		v, p       int
		parents    []int
		onlyCurved bool
	}{{3, 0, []int{0}, true}, {3, 0, []int{0, 1}, true}, {3, 1, []int{0, 1}, false}, {4, 1, []int{1, 2}, false}} {
		rest := without(c.parents, c.p)
		gain := e.Score(c.v, rest) - e.Score(c.v, c.parents)
		linear := lines.Score(c.v, rest) - lines.Score(c.v, c.parents)
		want := 0.0
		if c.onlyCurved {
			if want = gain; !(gain > n && linear < gain/20) {
				t.Fatalf("column %d gains %v by %d, %v by a line: the example is wrong", c.v, gain, c.p, linear)
			}
		}
		if got := s.OnlyCurved(c.v, c.p, c.parents); got > want || c.onlyCurved && got != want {
			t.Errorf("column %d with %v and without %d: %v, want %v; by a line %v", c.v, c.parents, c.p, got, want, linear)
		}
	}
}
