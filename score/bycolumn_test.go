package score_test

import (
	"math"
	"testing"

	"github.com/polydag/polydag/kit"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// LinearLocal is GaussianLocal: the same scores, and the laws of a local score; also with so few rows that sets are refused.
func TestLinearLocal(t *testing.T) {
	for _, n := range []int{3, 8, 200} {
		r := correlations(7, 200, 0.8, 5)
		fast, err := score.NewLinearLocal(r, n, 3)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := score.NewGaussianLocal(r, n, 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := kit.LocalScore(fast, kit.LocalScoreOptions{}, 1); err != nil {
			t.Errorf("%d rows: %v", n, err)
		}
		e, twin := fast.Evaluator(), slow.Evaluator()
		for _, set := range [][]int{nil, {1}, {1, 4}, {1, 2, 3, 4, 5, 6}} {
			if got, want := e.Score(0, set), twin.Score(0, set); got != want && !(math.Abs(got-want) < 1e-9*math.Abs(want)) {
				t.Errorf("%d rows, parents %v: %v, want %v", n, set, got, want)
			}
		}
	}
	if _, err := score.NewLinearLocal(correlations(4, 50, 1, 1), 50, 0); err == nil {
		t.Error("a price of 0 is taken")
	}
}

// Each column is asked of its own score, and one without rows has no parents.
func TestByColumn(t *testing.T) {
	var scores []search.Score
	for k, n := range []int{100, 300} {
		s, err := score.NewLinearLocal(correlations(5, n, 0.7, uint64(k)), n, 4)
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, s)
	}
	both, err := score.NewByColumn(append(scores, nil), []int{0, 1, 0, 2, 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := kit.LocalScore(both, kit.LocalScoreOptions{}, 1); err != nil {
		t.Error(err)
	}
	e := both.Evaluator()
	for v, k := range []int{0, 1, 0, 0, 1} {
		set := []int{(v + 1) % 5}
		want := scores[k].Evaluator().Score(v, set)
		if v == 3 {
			want = math.Inf(1)
		}
		if got := e.Score(v, set); got != want {
			t.Errorf("column %d: %v, want %v", v, got, want)
		}
	}
	if e.Score(3, nil) != 0 || both.Equivalent() || both.Price() != 4 {
		t.Errorf("without rows %v, equivalent %v, price %v", e.Score(3, nil), both.Equivalent(), both.Price())
	}
	one, err := score.NewByColumn(scores[:1], make([]int, 5))
	if err != nil || !one.Equivalent() {
		t.Errorf("one score for all columns: %v", err)
	}
	for _, of := range [][]int{{0, 1, 0, 2, 3}, {0, 1, 0}} {
		if _, err := score.NewByColumn(append(scores, nil), of); err == nil {
			t.Errorf("%v is taken", of)
		}
	}
}
