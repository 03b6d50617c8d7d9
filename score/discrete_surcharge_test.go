package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/counts"
)

// A surcharge adds itself once for every cell of parents and child that occurs, less once for every configuration of parents that occurs,
// by BIC and BDeu, one set at a time and all additions and removals at once.
func TestSurchargeCountsWhatOccurs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const rows, d = 60, 5
	columns := make([][]int, d)
	for v := range columns {
		columns[v] = make([]int, rows)
		for i := range columns[v] {
			columns[v][i] = rng.IntN(2 + v)
		}
	}
	table, err := counts.New(columns, counts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	distinct := func(vs ...int) float64 {
		seen := map[[d]int]bool{}
		for i := range rows {
			key := [d]int{}
			for _, v := range vs {
				key[v] = 1 + columns[v][i]
			}
			seen[key] = true
		}
		return float64(len(seen))
	}
	for _, criterion := range []Criterion{BIC, BDeu} {
		s := DefaultDiscrete()
		s.Criterion = criterion
		plain, err := NewDiscrete(table, s)
		if err != nil {
			t.Fatal(err)
		}
		s.Surcharge = 1.5
		dear, err := NewDiscrete(table, s)
		if err != nil {
			t.Fatal(err)
		}
		a, b := plain.Evaluator().(*DiscreteEvaluator), dear.Evaluator().(*DiscreteEvaluator)
		want := func(v int, parents ...int) float64 {
			return a.Score(v, parents) + 1.5*(distinct(append([]int{v}, parents...)...)-distinct(parents...))
		}
		near := func(what string, got, want float64) {
			if math.IsInf(want, 1) && math.IsInf(got, 1) {
				return
			}
			if !(math.Abs(got-want) < 1e-7) {
				t.Errorf("%v, %s: %v, want %v", criterion, what, got, want)
			}
		}
		near("no parents", b.Score(0, nil), want(0))
		near("two parents", b.Score(0, []int{1, 3}), want(0, 1, 3))
		dst := make([]float64, d)
		b.Additions(dst, 2, []int{0})
		for _, x := range []int{1, 3, 4} {
			near("addition", dst[x], want(2, min(0, x), max(0, x)))
		}
		b.Removals(dst, 2, []int{0, 1})
		near("removal", dst[0], want(2, 1))
		near("removal", dst[1], want(2, 0))
	}
}
