package score

import (
	"math"
	"testing"

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
		g, err := NewGaussianLocal(r, n, 1)
		if err != nil {
			t.Fatal(err)
		}
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
