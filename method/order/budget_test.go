package order

import (
	"errors"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/search"
)

// gains is a score in which parent x of v gains gains[v][x], whatever the other parents.
type gains [][]float64

func (g gains) Score(v int, parents []int) (sum float64) {
	for _, x := range parents {
		sum -= g[v][x]
	}
	return sum
}

func (g gains) Additions(dst []float64, v int, parents []int) {
	for x := range dst {
		if !slices.Contains(parents, x) && x != v {
			dst[x] = g.Score(v, parents) - g[v][x]
		}
	}
}

// TestFilledByGainAndPrior checks that a budget is filled by the edges with the largest gain less their prior cost, along the order, without
// forbidden edges and those below the least gain.
func TestFilledByGainAndPrior(t *testing.T) {
	g := gains{{0, 0, 0, 0}, {4, 0, 99, 0}, {10, 8, 0, 0}, {50, 1, 7, 0}} // 2 → 1 is against the order, and 0 → 3 is forbidden
	b := &budget{eval: g, know: search.Knowledge{
		Prior: func(x, v int) float64 {
			if x == 0 && v == 2 {
				return 5
			}
			return 0
		},
		Forbidden: func(x, v int) bool { return x == 0 && v == 3 },
	}}
	b.value = func(parents [][]int) (sum float64) {
		for v, set := range parents {
			sum += g.Score(v, set)
		}
		return sum
	}
	b.saves = func(parents [][]int, v, i int) float64 { return g[v][parents[v][i]] }
	for _, c := range []struct {
		edges int
		least float64
		want  [][]int
	}{
		{1, 0, [][]int{nil, nil, {1}, nil}},
		{3, 0, [][]int{nil, nil, {0, 1}, {2}}},
		{9, 0, [][]int{nil, {0}, {0, 1}, {1, 2}}},
		{9, 3, [][]int{nil, {0}, {0, 1}, {2}}},
	} {
		b.edges, b.least = c.edges, c.least
		got := b.filled(&plan{parents: make([][]int, 4), order: []int{0, 1, 2, 3}})
		n := 0
		for v := range c.want {
			n += len(c.want[v])
			if !slices.Equal(got.parents[v], c.want[v]) {
				t.Errorf("%d edges of at least %v: parents %v, want %v", c.edges, c.least, got.parents, c.want)
				break
			}
		}
		if got.edges != n || got.value != b.worth(got.parents) {
			t.Errorf("%d edges with the score %v, want %d with %v", got.edges, got.value, n, b.worth(got.parents))
		}
	}
}

// TestRefusedWithRegimes checks which settings are refused: a budget of edges with unknown targets, and equal variances with any regimes.
func TestRefusedWithRegimes(t *testing.T) {
	plain, budget, strength, equal := New(), New(), New(), New()
	budget.MaxEdges, strength.MinStrength, equal.Variance = 3, 0.1, Equal
	known, unknown := &dataset.Regimes{Column: "k"}, &dataset.Regimes{Column: "k", Unknown: true}
	for _, c := range []struct {
		m       *Method
		regimes *dataset.Regimes
		want    error
	}{
		{plain, known, nil}, {plain, unknown, nil}, {equal, nil, nil}, {budget, nil, nil}, {budget, known, nil}, {strength, known, nil},
		{budget, unknown, ErrRegimesBudget}, {strength, unknown, ErrRegimesBudget}, {equal, known, ErrVariance}, {equal, unknown, ErrVariance},
	} {
		if err := c.m.refuse(&method.Input{Regimes: c.regimes}); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%+v with regimes %+v: %v, want %v", c.m, c.regimes, err, c.want)
		}
	}
}
