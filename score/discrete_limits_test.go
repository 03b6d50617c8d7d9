package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// Price takes the median number of categories: ln n for each parameter of a table with two such columns, at least one.
func TestPriceOfCategories(t *testing.T) {
	const n = 40
	for _, c := range []struct {
		levels []int
		want   float64 // parameters
	}{{[]int{2}, 1}, {[]int{2, 3}, 4}, {[]int{2, 5, 3}, 4}, {[]int{4, 2, 2, 4}, 9}, {[]int{2, 2, 2, 7}, 1}, {[]int{1, 1, 3}, 1}, {[]int{2, 2, 1, 1, 1}, 1}} {
		columns := make([][]int, len(c.levels))
		for v, k := range c.levels {
			for i := range n {
				columns[v] = append(columns[v], i%k)
			}
		}
		table := must.Get(counts.New(columns, counts.Rows{}))
		set := DefaultDiscrete()
		set.Criterion, set.Gamma = BIC, 0
		d := must.Get(NewDiscrete(table, set))
		must.Near(t, d.Price(), c.want*math.Log(n), 1e-9, "categories %v: price", c.levels)
	}
}

// A table has at most five cells per row by default, however it is asked for.
func TestCellsOfATable(t *testing.T) {
	const n = 60
	for _, c := range []struct {
		child   int
		parents []int
		fits    bool
	}{{5, []int{60}, true}, {6, []int{60}, false}, {5, []int{6, 10}, true}, {3, []int{10, 10}, true}, {3, []int{10, 11}, false}, {3, []int{2, 5, 10}, true}, {3, []int{2, 5, 11}, false}} {
		columns := make([][]int, 1+len(c.parents))
		parents := make([]int, len(c.parents))
		for v, k := range append([]int{c.child}, c.parents...) {
			for i := range n {
				columns[v] = append(columns[v], i%k)
			}
			if v > 0 {
				parents[v-1] = v
			}
		}
		table := must.Get(counts.New(columns, counts.Rows{}))
		d := must.Get(NewDiscrete(table, DefaultDiscrete()))
		with := make([]float64, len(columns))
		last := len(parents) - 1
		d.Evaluator().Additions(with, 0, parents[:last])
		if got := d.Evaluator().Score(0, parents); math.IsInf(got, 1) == c.fits || math.IsInf(with[parents[last]], 1) == c.fits {
			t.Errorf("%d categories, parents with %v, %d rows: score %v, as an addition %v, want finite: %v", c.child, c.parents, n, got, with[parents[last]], c.fits)
		}
	}
}

// With one parent additive effects are the full table, so both have the same score, in bootstrap samples too.
func TestAdditiveEffectOfOneParent(t *testing.T) {
	columns := randomTable(rand.New(rand.NewPCG(8, 2)), 150, []int{3, 2, 4})
	for _, drawn := range []bool{false, true} {
		d := eitherTables(t, columns, func(s *DiscreteSettings) { s.Drawn = drawn })
		e := d.evaluator()
		for v := range 3 {
			for x := range 3 {
				if x == v {
					continue
				}
				if got, want := e.additive(v, []int{x}), e.full(v, []int{x}); !(math.Abs(got-want) <= 1e-2) {
					t.Errorf("drawn %v, column %d with parent %d: additive %v, full table %v", drawn, v, x, got, want)
				}
			}
		}
	}
}

// Gaussian scores need a square matrix.
func TestGaussianOfASquare(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a matrix of 2×3 is accepted")
		}
	}()
	s := matrix.New[float64](2, 3)
	NewGaussian[float64](s, false, 1)
}
