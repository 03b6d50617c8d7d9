package search

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// withCosts has the prior in the values of a score, the slow twin of Knowledge.Prior.
type withCosts struct {
	Score
	k Knowledge
}

func (s withCosts) Evaluator() Evaluator { return costEvaluator{s.Score.Evaluator(), s.k} }

type costEvaluator struct {
	Evaluator
	k Knowledge
}

func (e costEvaluator) Score(v int, parents []int) float64 {
	return e.Evaluator.Score(v, parents) + priorOf(e.k, v, parents)
}

func (e costEvaluator) Additions(dst []float64, v int, parents []int) {
	e.Evaluator.Additions(dst, v, parents)
	for x := range dst {
		if x != v && !slices.Contains(parents, x) {
			dst[x] += priorOf(e.k, v, parents) + e.k.Prior(x, v)
		}
	}
}

// TestPriorOfAScore compares a prior beside a score with the same prior inside the score, for an exhaustive search and for descents.
func TestPriorOfAScore(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		d := 3 + rng.IntN(4)
		table := randomTable(d, rng)
		k := Knowledge{Prior: randomPrior(d, rng)}
		for _, exact := range []int{0, 12} {
			s := DefaultSettings()
			s.Exact, s.Restarts = exact, 40
			beside := must.Get(Search(context.Background(), Problem{Score: table, Knowledge: k}, s, nil))
			inside := must.Get(Search(context.Background(), Problem{Score: withCosts{table, k}}, s, nil))
			if exact > 0 && math.Abs(beside.Score-inside.Score) > 1e-9 {
				t.Errorf("d = %d, seed %d: score %v beside, %v inside", d, seed, beside.Score, inside.Score)
			}
			sum := 0.0
			for v, parents := range beside.Parents {
				sum += priorOf(k, v, parents)
			}
			if math.Abs(sum-beside.Prior) > 1e-9 {
				t.Errorf("d = %d, seed %d: Prior = %v, the edges have %v", d, seed, beside.Prior, sum)
			}
		}
	}
}

// TestPriorOrdersAClass checks that the prior decides inside an equivalence class, that costs of 0 change nothing, and that threads
// do not matter.
func TestPriorOrdersAClass(t *testing.T) {
	sm := randomSample(20, 14, 500, 0.8, 3)
	p := sm.problem()
	s := DefaultSettings()
	plain := mustSearch(t, p, s)
	p.Knowledge.Prior = func(i, j int) float64 { return 0 }
	if none := mustSearch(t, p, s); !reflect.DeepEqual(none.Parents, plain.Parents) {
		t.Error("costs of 0 change the graph")
	}
	p.Knowledge.Prior = func(i, j int) float64 {
		if i > j {
			return 2
		}
		return -2
	}
	backward := func(r *Result) (n int) {
		for v, parents := range r.Parents {
			for _, x := range parents {
				if x > v {
					n++
				}
			}
		}
		return n
	}
	one := mustSearch(t, p, s)
	if backward(one) >= backward(plain) {
		t.Errorf("%d edges against the prior, %d without it", backward(one), backward(plain))
	}
	s.Threads = 4
	if four := mustSearch(t, p, s); !reflect.DeepEqual(four.Parents, one.Parents) || four.Score != one.Score {
		t.Error("the result depends on the threads")
	}
	p.Knowledge.Prior = func(i, j int) float64 { return math.NaN() }
	if _, err := Search(context.Background(), p, s, nil); err == nil {
		t.Error("a cost of NaN was accepted")
	}
}
