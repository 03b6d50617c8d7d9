package kit_test

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

func localGaussian(t *testing.T) search.Score {
	r := matrix.New[float64](6, 6)
	for i := range 6 {
		for j := range 6 {
			r.Set(i, j, math.Pow(0.5, math.Abs(float64(i-j))))
		}
	}
	s := must.Get(score.NewGaussianLocal(r, 100, 5))
	return s
}

func TestLocalScoreHolds(t *testing.T) {
	for seed := range uint64(3) {
		if err := kit.LocalScore(localGaussian(t), kit.LocalScoreSettings{}, seed); err != nil {
			t.Error(err)
		}
	}
}

// brokenScore breaks one law: each function that is not nil takes the place of what the score does.
type brokenScore struct {
	search.Score
	variables  func() int
	price      func() float64
	equivalent func() bool
	evaluator  func(search.Evaluator) search.Evaluator
}

func (b brokenScore) Variables() int {
	if b.variables != nil {
		return b.variables()
	}
	return b.Score.Variables()
}

func (b brokenScore) Price() float64 {
	if b.price != nil {
		return b.price()
	}
	return b.Score.Price()
}

func (b brokenScore) Equivalent() bool {
	if b.equivalent != nil {
		return b.equivalent()
	}
	return b.Score.Equivalent()
}

func (b brokenScore) Evaluator() search.Evaluator {
	e := b.Score.Evaluator()
	if b.evaluator != nil {
		e = b.evaluator(e)
	}
	return e
}

// brokenEvaluator does so for an evaluator.
type brokenEvaluator struct {
	search.Evaluator
	score     func(v int, parents []int) float64
	additions func(dst []float64, v int, parents []int)
}

func (b *brokenEvaluator) Score(v int, parents []int) float64 {
	if b.score != nil {
		return b.score(v, parents)
	}
	return b.Evaluator.Score(v, parents)
}

func (b *brokenEvaluator) Additions(dst []float64, v int, parents []int) {
	if b.additions != nil {
		b.additions(dst, v, parents)
		return
	}
	for x := range dst { // so that it agrees with what Score says
		if at, known := slices.BinarySearch(parents, x); !known && x != v {
			dst[x] = b.Score(v, slices.Insert(slices.Clone(parents), at, x))
		}
	}
}

func scoring(f func(e search.Evaluator, v int, parents []int) float64) func(search.Evaluator) search.Evaluator {
	return func(e search.Evaluator) search.Evaluator {
		return &brokenEvaluator{Evaluator: e, score: func(v int, parents []int) float64 { return f(e, v, parents) }}
	}
}

func adding(f func(e search.Evaluator, dst []float64, v int, parents []int)) func(search.Evaluator) search.Evaluator {
	return func(e search.Evaluator) search.Evaluator {
		return &brokenEvaluator{Evaluator: e, additions: func(dst []float64, v int, parents []int) { f(e, dst, v, parents) }}
	}
}

// forgetful tells removals that are not those of Score.
type forgetful struct{ search.Evaluator }

func (f forgetful) Removals(dst []float64, v int, parents []int) {
	for j := range parents {
		dst[j] = f.Score(v, parents)
	}
}

// freeScore claims that an evaluation takes nothing.
type freeScore struct{ search.Score }

func (freeScore) Cost() float64 { return 0 }

// There is one score for each law, and the kit names that law.
func TestLocalScoreCatches(t *testing.T) {
	good := localGaussian(t)
	calls := 0
	var evaluators, last atomic.Int64
	for law, bad := range map[string]brokenScore{
		"price":    {price: func() float64 { return 0 }},
		"constant": {price: func() float64 { calls++; return float64(calls) }},
		"empty": {evaluator: scoring(func(e search.Evaluator, v int, parents []int) float64 {
			if len(parents) == 0 && v == 3 {
				return math.Inf(1)
			}
			return e.Score(v, parents)
		})},
		"number": {evaluator: scoring(func(e search.Evaluator, v int, parents []int) float64 {
			if len(parents) > 3 {
				return math.NaN()
			}
			return e.Score(v, parents)
		})},
		"pure": {evaluator: func(e search.Evaluator) search.Evaluator {
			asked := 0.0
			return scoring(func(e search.Evaluator, v int, parents []int) float64 {
				asked++
				return e.Score(v, parents) + 1e-9*asked
			})(e)
		}},
		"goroutines": {evaluator: func(e search.Evaluator) search.Evaluator {
			me := evaluators.Add(1)
			first := true
			return scoring(func(e search.Evaluator, v int, parents []int) float64 {
				for wait := 0; wait < 1000 && last.Load() == me; wait++ {
					runtime.Gosched() // lets the others in between, if there are any
				}
				s := e.Score(v, parents)
				if last.Swap(me) != me && !first {
					s++
				}
				first = false
				return s
			})(e)
		}},
		"untouched": {evaluator: scoring(func(e search.Evaluator, v int, parents []int) float64 {
			s := e.Score(v, parents)
			slices.Reverse(parents)
			return s
		})},
		"kept": {evaluator: func(e search.Evaluator) search.Evaluator {
			var last []int
			of, value := -1, 0.0
			return scoring(func(e search.Evaluator, v int, parents []int) float64 {
				if v != of || !slices.Equal(last, parents) {
					of, last, value = v, parents, e.Score(v, parents)
				}
				return value
			})(e)
		}},
		"additions": {evaluator: adding(func(e search.Evaluator, dst []float64, v int, parents []int) {
			e.Additions(dst, v, parents)
			for x := range dst {
				if x > v && !slices.Contains(parents, x) {
					dst[x] *= 1 + 1e-6
				}
			}
		})},
		"rest": {evaluator: adding(func(e search.Evaluator, dst []float64, v int, parents []int) {
			e.Additions(dst, v, parents)
			dst[v] = math.Inf(1)
		})},
		"removals": {evaluator: func(e search.Evaluator) search.Evaluator { return forgetful{e} }},
		"equivalent": {evaluator: scoring(func(e search.Evaluator, v int, parents []int) float64 {
			s := e.Score(v, parents)
			for _, p := range parents {
				if p > v {
					s += 0.01
				}
			}
			return s
		})},
	} {
		bad.Score = good
		err := kit.LocalScore(bad, kit.LocalScoreSettings{}, 1)
		if err == nil || !strings.Contains("\n"+err.Error(), "\n"+law+": ") {
			t.Errorf("the kit does not catch a score that breaks %q: %v", law, err)
		}
	}
	if err := kit.LocalScore(freeScore{good}, kit.LocalScoreSettings{}, 1); err == nil || !strings.Contains(err.Error(), "cost: ") {
		t.Errorf("the kit does not catch an evaluation without cost: %v", err)
	}
	drifting := brokenScore{Score: good, evaluator: func(e search.Evaluator) search.Evaluator {
		first := true
		return adding(func(e search.Evaluator, dst []float64, v int, parents []int) {
			e.Additions(dst, v, parents)
			for x := range dst {
				if !first && x != v && !slices.Contains(parents, x) {
					dst[x] = math.Nextafter(dst[x], 0)
				}
			}
			first = false
		})(e)
	}}
	if err := kit.LocalScore(drifting, kit.LocalScoreSettings{}, 1); err == nil || !strings.Contains(err.Error(), "pure: ") {
		t.Errorf("the kit does not catch additions that change: %v", err)
	}
	asked := 0
	growing := brokenScore{Score: good, variables: func() int { asked++; return 5 + min(asked, 2)/2 }}
	if err := kit.LocalScore(growing, kit.LocalScoreSettings{}, 1); err == nil || !strings.Contains(err.Error(), "constant: ") {
		t.Errorf("the kit does not catch a score that gains a variable: %v", err)
	}
	if err := kit.LocalScore(brokenScore{Score: good, variables: func() int { return 2 }}, kit.LocalScoreSettings{}, 1); err == nil {
		t.Error("two variables are no ground for a check")
	}
	honest := brokenScore{Score: good, equivalent: func() bool { return false }, evaluator: scoring(func(e search.Evaluator, v int, parents []int) float64 {
		return e.Score(v, parents) + float64(v*len(parents))
	})}
	if err := kit.LocalScore(honest, kit.LocalScoreSettings{}, 1); err != nil {
		t.Errorf("a score that claims no equivalence: %v", err)
	}
}
