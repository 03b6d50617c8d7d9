package score

import (
	"math"
	"testing"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// TestRowsOfParents checks that parents need two rows each and two more, in Score and in Additions.
func TestRowsOfParents(t *testing.T) {
	const d = 6
	r := matrix.New[float64](d, d)
	for i := range d {
		for j := range d {
			r.Set(i, j, 0.2)
		}
		r.Set(i, i, 1)
	}
	for n, most := range map[int]int{8: 3, 9: 3, 10: 4} {
		g := must.Get(NewGaussianLocal(r, n, 1))
		eval, added := g.Evaluator(), make([]float64, d)
		for k := 1; k < d; k++ {
			parents := []int{1, 2, 3, 4, 5}[:k]
			if got := eval.Score(0, parents); math.IsInf(got, 1) != (k > most) {
				t.Errorf("%d rows, %d parents: %v", n, k, got)
			}
			if eval.Additions(added, 0, parents[:k-1]); math.IsInf(added[k], 1) != (k > most) {
				t.Errorf("%d rows, one more than %d parents: %v", n, k-1, added[k])
			}
		}
	}
}

// TestRowsOfAnEquation checks the rows that an equation needs: two for each coefficient and two more. One of several equations also has its
// own mean and variance.
func TestRowsOfAnEquation(t *testing.T) {
	s := matrix.New[float64](3, 3)
	for i := range 3 {
		for j := range 3 {
			s.Set(i, j, 0.3)
		}
		s.Set(i, i, 1)
	}
	for _, c := range []struct {
		columns []int
		among   bool
		least   float64
	}{{nil, true, 6}, {[]int{1}, false, 4}, {[]int{1}, true, 8}, {[]int{1, 2}, false, 6}, {[]int{1, 2}, true, 10}} {
		for n, want := range map[float64]bool{c.least - 1: false, c.least: true} {
			f := &changingFit{}
			if got := f.fit(&covariances{n: n, s: s}, 0, c.columns, c.among); math.IsInf(got, 1) == want {
				t.Errorf("%d columns, one of several %v, %v rows: %v", len(c.columns), c.among, n, got)
			}
		}
	}
}

// TestDeterminedEquation checks that a column that its parents determine has the residual variance of rounding, not less.
func TestDeterminedEquation(t *testing.T) {
	s := matrix.Of(2, 2, []float64{1, 1, 1, 1})
	f := &changingFit{}
	if got, want := f.fit(&covariances{n: 50, s: s}, 0, []int{1}, false), 50*math.Log(chol.Determined); !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("n·ln of the residual variance is %v, want %v", got, want)
	}
}
