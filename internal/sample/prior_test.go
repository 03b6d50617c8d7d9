package sample_test

import (
	"math"
	"testing"

	"github.com/polydag/polydag/internal/sample"
)

// TestWithPrior compares the values of a score with a prior with the plain ones, and additions with scores.
func TestWithPrior(t *testing.T) {
	plain := bge(t, table(5, 60, 0.5, 0.3, 1), 60)
	cost := func(x, v int) float64 { return float64(3*x - 2*v) }
	with := sample.WithPrior(plain, cost)
	if with.Equivalent() || sample.WithPrior(plain, nil) != plain {
		t.Error("a prior distinguishes graphs of one class, and no prior changes nothing")
	}
	eval, own := with.Evaluator(), plain.Evaluator()
	parents, v := []int{1, 3}, 2
	want := own.Score(v, parents) + cost(1, v) + cost(3, v)
	if got := eval.Score(v, parents); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
		t.Errorf("score %v, want %v", got, want)
	}
	added := make([]float64, 5)
	eval.Additions(added, v, parents)
	for x, set := range map[int][]int{0: {0, 1, 3}, 4: {1, 3, 4}} {
		if want := eval.Score(v, set); !(math.Abs(added[x]-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("with %d: %v, want %v", x, added[x], want)
		}
	}
}
