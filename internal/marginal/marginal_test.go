package marginal_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/marginal"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// rows draws a chain a → b → c with an effect between neighbors, and a fourth independent column.
func rows(n int, effect float64, levels bool) []float64 {
	rng := rand.New(rand.NewPCG(1, 9))
	var out []float64
	for range n {
		x := [4]float64{}
		for v := range x {
			x[v] = rng.NormFloat64()
			if v == 1 || v == 2 {
				x[v] += effect * x[v-1]
			}
		}
		for v := range x {
			if levels && x[v] > 0 {
				x[v] = 1
			} else if levels {
				x[v] = 0
			}
		}
		out = append(out, x[:]...)
	}
	return out
}

var names = []string{"a", "b", "c", "d"}

func moments(t *testing.T, x []float64) *dataset.Moments {
	a := dataset.NewAccumulator(names, 1)
	must.Succeed(t, a.Add(x))
	return must.Get(a.Moments())
}

func total(s search.Score, parents [][]int) (sum float64) {
	eval := s.Evaluator()
	for v, set := range parents {
		sum += eval.Score(v, set)
	}
	return sum
}

// TestFitted checks that the scores keep the laws, and the scale that was fitted to a graph makes it more
// likely than the default does.
func TestFitted(t *testing.T) {
	chain := [][]int{nil, {0}, {1}, nil}
	for _, levels := range []bool{false, true} {
		for _, effect := range []float64{0.2, 3} {
			x := rows(300, effect, levels)
			score := func(parents [][]int) search.Score {
				s, err := marginal.Linear(moments(t, x), nil, parents)
				if levels {
					each := dataset.RowBatch{Values: x}.Rows(len(names))
					s, err = marginal.Discrete(context.Background(), names, each, nil, 0, parents)
				}
				must.Succeed(t, err)
				return s
			}
			fixed, fitted := score(nil), score(chain)
			if err := kit.LocalScore(fitted, kit.LocalScoreSettings{MaxParents: 3}, 1); err != nil {
				t.Error(err)
			}
			if a, b := total(fixed, chain), total(fitted, chain); b > a || a-b < 0.1 {
				t.Errorf("levels %v, effect %v: %v with the default and %v fitted", levels, effect, a, b)
			}
		}
	}
}

// TestTargets checks that rows in which a column was set do not count for it: noise there does not change its
// score.
func TestTargets(t *testing.T) {
	const n = 200
	x := rows(n, 1, true)
	set := append([]float64(nil), x...)
	for i := range n {
		set[4*i+1] = float64(i % 2)
	}
	each := func(_ context.Context, each func(dataset.RowBatch) error) error {
		if err := each(dataset.RowBatch{Values: x, Environments: make([]int, n)}); err != nil {
			return err
		}
		of := make([]int, n)
		for i := range of {
			of[i] = 1
		}
		return each(dataset.RowBatch{Values: set, Environments: of})
	}
	environments := &dataset.Environments{Names: []string{"", "b"}, Targets: [][]int{nil, {1}}}
	both := must.Get(marginal.Discrete(context.Background(), names, each, environments, 0, nil))
	alone := must.Get(marginal.Discrete(context.Background(), names, dataset.RowBatch{Values: x}.Rows(len(names)), nil, 0, nil))
	if a, b := both.Evaluator().Score(1, []int{0}), alone.Evaluator().Score(1, []int{0}); !(math.Abs(a-b) <= 1e-9) {
		t.Errorf("b given a: %v with rows in which b was set, %v without", a, b)
	}
	if a, b := both.Evaluator().Score(2, []int{1}), alone.Evaluator().Score(2, []int{1}); math.Abs(a-b) < 1 {
		t.Error("the rows in which b was set do not count for c")
	}
}

func TestTooManyLevels(t *testing.T) {
	x := rows(300, 1, false)
	_, err := marginal.Discrete(context.Background(), names, dataset.RowBatch{Values: x}.Rows(len(names)), nil, 0, nil)
	if !errors.Is(err, marginal.ErrLevels) {
		t.Error(err)
	}
}

// bdeu is the marginal likelihood of the codes of v given one parent or none (-1), by its formula (Heckerman, Geiger and Chickering 1995),
// times -2. Each of four columns has two levels, and rows have a weight.
func bdeu(x []float64, v, parent int, ess, weight float64) float64 {
	q := 1.0
	var count [2][2]float64
	for i := 0; i < len(x); i += 4 {
		j := 0
		if parent >= 0 {
			q, j = 2, int(x[i+parent])
		}
		count[j][int(x[i+v])] += weight
	}
	log := func(a float64) float64 { g, _ := math.Lgamma(a); return g }
	sum := 0.0
	for _, n := range count[:int(q)] {
		sum += log(ess/q) - log(ess/q+n[0]+n[1])
		for _, k := range n {
			sum += log(ess/q/2+k) - log(ess/q/2)
		}
	}
	return -2 * sum
}

// TestDiscreteAgainstBDeu compares the score with the formula, plus 2·ln d for each edge, the prior of which has odds of 1/d. The
// equivalent sample size is the most likely one of 0.1, 0.316, 1, …,
// 100, small for nearly deterministic columns and large for columns without effects.
func TestDiscreteAgainstBDeu(t *testing.T) {
	chain := [][]int{nil, {0}, {1}, nil}
	parent := []int{-1, 0, 1, -1}
	chosen := map[int]bool{}
	for _, c := range []struct{ effect, weight float64 }{{100, 0}, {3, 0}, {0, 0}, {3, 0.5}, {0, 0.25}} {
		x := rows(200, c.effect, true)
		if c.effect == 100 { // all columns are copies, and 1 once
			x = make([]float64, 4*20_000)
			copy(x, []float64{1, 1, 1, 1})
		}
		weight := c.weight
		if weight == 0 {
			weight = 1
		}
		best, least := 0, math.Inf(1)
		for k := -2; k <= 4; k++ {
			sum := 0.0
			for v, p := range parent {
				sum += bdeu(x, v, p, math.Pow(10, float64(k)/2), weight)
			}
			if sum < least {
				best, least = k, sum
			}
		}
		chosen[best] = true
		each := dataset.RowBatch{Values: x}.Rows(len(names))
		s := must.Get(marginal.Discrete(context.Background(), names, each, nil, c.weight, chain))
		if got := total(s, chain) - 2*2*math.Log(4); !(math.Abs(got-least) <= 1e-6) {
			t.Errorf("%+v: %v, want %v with the size 10^%v", c, got, least, float64(best)/2)
		}
	}
	if !chosen[-2] || !chosen[4] {
		t.Errorf("the sizes %v were chosen: the test looks at too little", chosen)
	}
}

// A column may have 64 values.
func TestMostLevels(t *testing.T) {
	for _, n := range []int{64, 65} {
		var x []float64
		for i := range 2 * n {
			x = append(x, float64(i%n), float64(i%2), 0, float64(i%3))
		}
		_, err := marginal.Discrete(context.Background(), names, dataset.RowBatch{Values: x}.Rows(len(names)), nil, 0, nil)
		if errors.Is(err, marginal.ErrLevels) != (n > 64) {
			t.Errorf("%d values: %v", n, err)
		}
	}
}

// TestLinearTargets checks that a column is scored by the rows without an intervention on it. Two rows fit a line exactly, so the
// column has no parents; three are enough for the score.
func TestLinearTargets(t *testing.T) {
	for _, n := range []int{2, 3, 50} {
		x := rows(n+60, 1, false)
		free, set := moments(t, x[:4*n]), moments(t, x[4*n:])
		environments := &dataset.Environments{Names: []string{"", "b"}, Targets: [][]int{nil, {1}}, Moments: []*dataset.Moments{free, set}}
		s := must.Get(marginal.Linear(moments(t, x), environments, nil))
		all := must.Get(score.NewBGe(moments(t, x).Correlation(), n+60, score.DefaultBGe()))
		eval := s.Evaluator()
		if got, want := eval.Score(2, []int{1}), all.Evaluator().Score(2, []int{1}); !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("%d rows: c given b: %v, want %v, by all rows", n, got, want)
		}
		want := math.Inf(1)
		if n > 2 {
			own := must.Get(score.NewBGe(free.Correlation(), n, score.DefaultBGe()))
			want = own.Evaluator().Score(1, []int{0})
		}
		if got := eval.Score(1, []int{0}); got != want && !(math.Abs(got-want) < 1e-9) {
			t.Errorf("%d rows: b given a: %v, want %v, by the rows in which b was not set", n, got, want)
		}
	}
}
