package mechanism

import (
	"math"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
)

// Two sets of five rows of a column without parents, with means 2 and 4 and squared deviations that add up to 10: HC3 divides each
// deviation by 1 - 1/5, so that the variance of a mean is 10/(25·0.8²), and the Wald statistic is 2²/(2·0.625) with one degree of
// freedom. The spreads are equal, and Bonferroni's correction doubles the p-value. All ten rows have the variance 3.
func TestDifferWithoutParents(t *testing.T) {
	all := New([][]float64{{0, 1, 2, 3, 4, 2, 3, 4, 5, 6}}, [][]float64{nil})
	got, err := Differ(score.LinearEffects, graph.New(1), all, []int{0, 1, 2, 3, 4}, []int{5, 6, 7, 8, 9}, 0)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "p-value", got.P, 2*math.Erfc(math.Sqrt(3.2/2)), 1e-6)
	near(t, "size", got.Size, 2/math.Sqrt(3), 1e-6)
}
