package order

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
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

// TestRefusedWithEnvironments checks which settings are refused: a budget of edges with unknown targets, and equal variances with any environments.
func TestRefusedWithEnvironments(t *testing.T) {
	plain, budget, strength, equal := New(), New(), New(), New()
	budget.MaxEdges, strength.MinGain, equal.Variance = 3, 0.1, Equal
	known, unknown := &dataset.Environments{Column: "k"}, &dataset.Environments{Column: "k", Unknown: true}
	for _, c := range []struct {
		m            *Method
		environments *dataset.Environments
		want         error
	}{
		{plain, known, nil}, {plain, unknown, nil}, {equal, nil, nil}, {budget, nil, nil}, {budget, known, nil}, {strength, known, nil},
		{budget, unknown, ErrEnvironmentsBudget}, {strength, unknown, ErrEnvironmentsBudget}, {equal, known, ErrVariance}, {equal, unknown, ErrVariance},
	} {
		if err := c.m.refuse(&method.Input{Environments: c.environments}); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%+v with environments %+v: %v, want %v", c.m, c.environments, err, c.want)
		}
	}
}

// additiveBudget returns a budget under a score whose searches are exact: a search with a charge keeps the edges along the order that gain
// more than it. visited collects the charges.
func additiveBudget(g gains, visited *[]float64, stopAfter int) (*budget, func(charge float64) *search.Result) {
	b := localBudget(g)
	order := make([]int, len(g))
	for v := range order {
		order[v] = v
	}
	find := func(charge float64) *search.Result {
		out := &search.Result{Parents: make([][]int, len(g)), Order: order, Penalty: 8}
		for v := range g {
			for x := range v {
				if g[v][x] > charge {
					out.Parents[v] = append(out.Parents[v], x)
					out.Edges++
				}
			}
		}
		return out
	}
	b.search = func(charge float64, _ bool, _ []int) (*search.Result, error) {
		*visited = append(*visited, charge)
		out := find(charge)
		if len(*visited) == stopAfter {
			out.Status = search.Stopped
		}
		return out, nil
	}
	return b, find
}

// TestFindWithinABudget checks that the graph within a budget has the edges with the largest gains, each of at least the least gain, that a
// graph within the budget needs no search, and that the searches are few.
func TestFindWithinABudget(t *testing.T) {
	g := gains{{0, 0, 0, 0}, {40, 0, 0, 0}, {30, 20, 0, 0}, {10, 5, 2, 0}}
	for _, c := range []struct {
		name        string
		edges       int
		least       float64
		required    [][2]int
		stopAfter   int
		want        [][]int
		value       float64
		most, fewer int // searches
	}{
		{"all edges", 6, 0, nil, 0, [][]int{nil, {0}, {0, 1}, {0, 1, 2}}, -107, 0, 0},
		{"no limit", 0, 0, nil, 0, [][]int{nil, {0}, {0, 1}, {0, 1, 2}}, -107, 0, 0},
		{"five edges", 5, 0, nil, 0, [][]int{nil, {0}, {0, 1}, {0, 1}}, -105, 8, 1},
		{"three edges", 3, 0, nil, 0, [][]int{nil, {0}, {0, 1}, nil}, -90, 8, 1},
		{"one edge", 1, 0, nil, 0, [][]int{nil, {0}, nil, nil}, -40, 8, 1},
		{"a gain of at least 10", 0, 10, nil, 0, [][]int{nil, {0}, {0, 1}, {0}}, -100, 1, 1},
		{"a gain of at least 10.1", 0, 10.1, nil, 0, [][]int{nil, {0}, {0, 1}, nil}, -90, 1, 1},
		{"a gain of at least 10.1 and a required edge", 0, 10.1, [][2]int{{2, 3}}, 0, [][]int{nil, {0}, {0, 1}, {2}}, -92, 1, 1},
		{"two edges of at least 25", 2, 25, nil, 0, [][]int{nil, {0}, {0}, nil}, -70, 1, 1},
		{"three edges, stopped", 3, 0, nil, 1, [][]int{nil, {0}, {0, 1}, nil}, -90, 1, 1},
	} {
		var visited []float64
		b, find := additiveBudget(g, &visited, c.stopAfter)
		b.edges, b.least, b.know.Required = c.edges, c.least, c.required
		got := must.Get(b.find(find(0)))
		for v := range c.want {
			if !slices.Equal(got.parents[v], c.want[v]) {
				t.Errorf("%s: parents %v, want %v", c.name, got.parents, c.want)
				break
			}
		}
		if got.value != c.value || len(visited) > c.most || len(visited) < c.fewer {
			t.Errorf("%s: score %v after searches with the charges %v, want %v", c.name, got.value, visited, c.value)
		}
		if len(visited) > 0 && visited[0] != c.least {
			t.Errorf("%s: the first search has the charge %v, want the least gain", c.name, visited[0])
		}
	}
	// Many edges of nearly equal gains: no charge leaves exactly three, and the searches end when the charges are within 2 %.
	flat := gains{{0, 0, 0, 0}, {40, 0, 0, 0}, {20, 20, 0, 0}, {20, 20, 20, 0}}
	var visited []float64
	b, find := additiveBudget(flat, &visited, 0)
	b.edges, b.eval = 3, nil
	got, err := b.find(find(0))
	if err != nil || got.edges != 3 || got.value != -80 {
		t.Errorf("%d edges with the score %v, want the three strongest: %v", got.edges, got.value, err)
	}
	if n := len(visited); n < 3 || n > 12 {
		t.Errorf("searches with the charges %v, want some until they are within 2 %%", visited)
	}
}

// TestAccountOfABudget checks the bits per row that remain: differences of scores divided by 2·n·ln 2.
func TestAccountOfABudget(t *testing.T) {
	m := New()
	m.MaxEdges, m.MinGain = 4, 0.5
	unit := 2 * 50 * math.Ln2
	got := m.account(50, 100*unit, 80*unit, 85*unit, 9)
	if got.MaxEdges != 4 || got.MinGain != 0.5 || got.Edges != 9 || math.Abs(got.AllBits-20) > 1e-9 || math.Abs(got.Bits-15) > 1e-9 || math.Abs(got.Share-0.75) > 1e-9 {
		t.Errorf("%+v, want 15 of 20 bits", got)
	}
	if got := m.account(50, 100, 100, 100, 0); got.Share != 1 || got.Bits != 0 {
		t.Errorf("%+v, want all of nothing", got)
	}
	for _, c := range []struct {
		edges int
		least float64
		want  bool
	}{{0, 0, false}, {1, 0, true}, {0, 0.1, true}} {
		m.MaxEdges, m.MinGain = c.edges, c.least
		if m.limited() != c.want {
			t.Errorf("%d edges of at least %v bits are a budget: %v", c.edges, c.least, !c.want)
		}
	}
}
