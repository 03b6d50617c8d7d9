package score_test

import (
	"math"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// Each column is asked of its own score, and one without rows has no parents.
func TestByColumn(t *testing.T) {
	var scores []search.Score
	for k, n := range []int{100, 300} {
		s := must.Get(score.NewGaussianLocal(correlations(5, n, 0.7, uint64(k)), n, 4))
		scores = append(scores, s)
	}
	both := must.Get(score.NewByColumn(append(scores, nil), []int{0, 1, 0, 2, 1}))
	if err := kit.LocalScore(both, kit.LocalScoreSettings{}, 1); err != nil {
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
	_, x := curvedTable(1, 3, 3, 60, false)
	curved := smooth(t, x)
	for what, other := range map[string]search.Score{"a score that is not equivalent": curved, "no rows at all": nil} {
		if s, err := score.NewByColumn([]search.Score{curved, other}, []int{1, 1, 1}); err != nil || s.Equivalent() {
			t.Errorf("%s for all columns is equivalent (%v)", what, err)
		}
	}
	for _, of := range [][]int{{0, 1, 0, 2, 3}, {0, 1, 0, -1, 2}, {0, 1, 0}} {
		if _, err := score.NewByColumn(append(scores, nil), of); err == nil {
			t.Errorf("%v is taken", of)
		}
	}
}
