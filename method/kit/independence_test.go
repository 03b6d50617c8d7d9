package kit_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
)

func oracle(t *testing.T) independence.Test {
	g := must.Get(graph.FromEdges(5, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 3, To: 2}, {From: 2, To: 4}}))
	return independence.Oracle{Graph: g}
}

func TestIndependenceHolds(t *testing.T) {
	r := matrix.New[float64](5, 5)
	for i := range 5 {
		for j := range 5 {
			r.Set(i, j, math.Pow(0.5, math.Abs(float64(i-j))))
		}
	}
	z := must.Get(independence.NewFisherZ(r, 100))
	for _, test := range []independence.Test{z, oracle(t)} {
		if err := kit.Independence(test, 1); err != nil {
			t.Error(err)
		}
	}
}

// broken is a test of independence that breaks one law.
type broken struct {
	independence.Test
	change func(x, y int, given []int, r independence.Result, err error) (independence.Result, error)
}

func (b broken) Independent(x, y int, given []int) (independence.Result, error) {
	r, err := b.Test.Independent(x, y, given)
	return b.change(x, y, given, r, err)
}

func TestIndependenceCatches(t *testing.T) {
	calls := 0
	for law, change := range map[string]func(x, y int, given []int, r independence.Result, err error) (independence.Result, error){
		"range": func(x, y int, _ []int, r independence.Result, err error) (independence.Result, error) {
			r.P = 1.5
			return r, err
		},
		"symmetry": func(x, y int, _ []int, r independence.Result, err error) (independence.Result, error) {
			if x > y {
				r.Statistic++
			}
			return r, err
		},
		"untouched": func(x, y int, given []int, r independence.Result, err error) (independence.Result, error) {
			if len(given) > 1 {
				given[0], given[1] = given[1], given[0]
			}
			return r, err
		},
		"repeatable": func(x, y int, _ []int, r independence.Result, err error) (independence.Result, error) {
			calls++
			r.Statistic += float64(calls)
			return r, err
		},
		"arguments": func(x, y int, _ []int, r independence.Result, err error) (independence.Result, error) {
			return r, nil
		},
		"order": func(x, y int, given []int, r independence.Result, err error) (independence.Result, error) {
			if len(given) > 1 && given[0] > given[1] {
				r.Statistic++
			}
			return r, err
		},
	} {
		err := kit.Independence(broken{oracle(t), change}, 1)
		if err == nil || !strings.Contains(err.Error(), law+": ") {
			t.Errorf("the kit does not catch a test that breaks %q: %v", law, err)
		}
	}
	refused := broken{oracle(t), func(int, int, []int, independence.Result, error) (independence.Result, error) {
		return independence.Result{}, errors.New("out of order")
	}}
	if err := kit.Independence(refused, 1); err == nil || !strings.Contains(err.Error(), "answers: ") {
		t.Errorf("the kit does not catch a test that answers nothing: %v", err)
	}
	if err := kit.Independence(independence.Oracle{Graph: graph.New(2)}, 1); err == nil {
		t.Error("two columns are no ground for a check")
	}
}

// A test that says too often that columns depend on each other is caught, and so is one that fails.
func TestCalibratedCatches(t *testing.T) {
	if err := kit.Calibrated(func(rng *rand.Rand) (independence.Result, error) { return independence.Result{P: rng.Float64()}, nil }, 1); err != nil {
		t.Error(err)
	}
	off := func(rng *rand.Rand) (independence.Result, error) {
		return independence.Result{P: math.Pow(rng.Float64(), 1.1)}, nil
	}
	if err := kit.Calibrated(off, 1); err == nil {
		t.Error("p-values that are too small pass")
	}
	fails := func(*rand.Rand) (independence.Result, error) { return independence.Result{}, errors.New("no rows") }
	if err := kit.Calibrated(fails, 1); err == nil || !strings.Contains(err.Error(), "no rows") {
		t.Errorf("a test that fails: %v", err)
	}
}
