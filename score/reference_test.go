package score_test

import (
	"math"
	"testing"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// TestGaussianLocalAgainstR compares BIC of standardized columns of mtcars (mpg, wt, hp) with R 4.2.2:
//
//	s <- as.data.frame(scale(mtcars[, c("mpg", "wt", "hp")]) * sqrt(32 / 31))
//	-2 * logLik(lm(mpg ~ wt + hp, s)) + 2 * log(32); -2 * logLik(lm(mpg ~ 1, s))
//
// The intercept and the variance of a column cost the same in every graph, and are not charged.
func TestGaussianLocalAgainstR(t *testing.T) {
	const mpgWt, mpgHp, wtHp = -0.867659376517228, -0.776168371826586, 0.658747887344759
	r := matrix.Of(3, 3, []float64{1, mpgWt, mpgHp, mpgWt, 1, wtHp, mpgHp, wtHp, 1})
	s, err := score.NewGaussianLocal(r, 32, math.Log(32))
	if err != nil {
		t.Fatal(err)
	}
	eval := s.Evaluator()
	if got := eval.Score(0, []int{1, 2}); !(math.Abs(got-41.6403606403469) <= 1e-9) {
		t.Errorf("two parents: %v, R has 41.64036064", got)
	}
	if got := eval.Score(0, nil); !(math.Abs(got-90.8120661250991) <= 1e-9) {
		t.Errorf("no parents: %v, R has 90.81206613", got)
	}
}
