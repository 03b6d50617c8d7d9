package order

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/search"
)

// TestChargesOfABudget checks the sequence of searches. The first charge is the least gain. The second is the largest of the gain beyond the
// budget, an eighth of the penalty and 5/4 of the least gain. It rises by half until a graph fits. Then it falls by a third while the interval
// spans more than a factor of 2, and halves the interval until its ends are within 2 %. The last search repeats the largest charge with
// rounds.
func TestChargesOfABudget(t *testing.T) {
	third := func(x float64) float64 { return x / 1.5 }
	for _, c := range []struct {
		what           string
		gains          gains
		edges          int
		least, penalty float64
		never          bool // a search always finds all edges
		want           []float64
		rounds         int // searches with rounds
	}{
		{"ties beyond the budget", gains{{0, 0, 0, 0}, {40, 0, 0, 0}, {20, 20, 0, 0}, {20, 20, 20, 0}}, 3, 0, 8, false,
			[]float64{0, 20, third(20), 20 - 10./3, 20 - 5./3, 20 - 2.5/3, 20 - 1.25/3, 20 - 0.625/3, 20}, 2},
		{"a least gain near the first charge", gains{{0, 0, 0}, {40, 0, 0}, {10, 10, 0}}, 2, 4, 8, false,
			[]float64{4, 10, third(10), 10 - 5./3, 10 - 2.5/3, 10 - 1.25/3, 10 - 0.625/3, 10 - 0.3125/3, 10}, 2},
		{"a budget that a charge meets", gains{{0, 0, 0}, {40, 0, 0}, {30, 9, 0}}, 2, 0, 8, false, []float64{0, 9, 9}, 2},
		{"a charge of the penalty", gains{{0, 0, 0}, {40, 0, 0}, {30, 9, 0}}, 2, 0, 80, false, []float64{0, 10, 10}, 2},
		{"a charge that is too large", gains{{0, 0, 0}, {40, 0, 0}, {30, 9, 0}}, 2, 0, 256, false, []float64{0, 32, third(32), third(32)}, 2},
		{"no charge is enough", gains{{0, 0, 0}, {30, 0, 0}, {30, 30, 0}}, 1, 0, 8, true, []float64{0, 30, 45, 67.5}, 1},
		{"the least gain counts 5/4", gains{{0, 0, 0}, {4.5, 0, 0}, {4.5, 4.5, 0}}, 1, 4, 8, true, []float64{4, 5, 7.5, 11.25}, 1},
	} {
		var visited []float64
		b, find := additiveBudget(c.gains, &visited, 0)
		b.edges, b.least = c.edges, c.least
		rounds, inner := 0, b.search
		b.search = func(charge float64, with bool, start []int) (*search.Result, error) {
			if with {
				rounds++
			}
			out, err := inner(charge, with, start)
			if c.never {
				out = find(0)
			}
			return out, err
		}
		full := find(0)
		full.Penalty = c.penalty
		must.Get(b.find(full))
		got := visited
		if c.never {
			if got = visited[:min(4, len(visited))]; len(visited) != 25 {
				t.Errorf("%s: %d searches, want one and 24 charges", c.what, len(visited))
			}
		}
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) || rounds != c.rounds {
			t.Errorf("%s: charges %v, %d searches with rounds, want %v and %d", c.what, got, rounds, c.want, c.rounds)
		}
	}
}

// TestSearchesOfABudgetEnd checks that a stopped search and an error end the searches, and that a graph of a search that fits better than the
// strongest edges of the full graph is taken.
func TestSearchesOfABudgetEnd(t *testing.T) {
	ties := gains{{0, 0, 0, 0}, {40, 0, 0, 0}, {20, 20, 0, 0}, {20, 20, 20, 0}}
	for last := range 10 { // the ninth search is the last
		var visited []float64
		b, find := additiveBudget(ties, &visited, last)
		b.edges = 3
		full := find(0)
		if last == 0 {
			full.Status = search.Stopped
		}
		got, err := b.find(full)
		if err != nil || len(visited) != min(9, last) || got.edges != 3 || got.value != -80 {
			t.Errorf("stopped in search %d: %d searches, %d edges with the score %v, %v", last, len(visited), got.edges, got.value, err)
		}
		if last == 0 {
			continue
		}
		visited = nil
		b, _ = additiveBudget(ties, &visited, 0)
		b.edges, full.Status = 3, search.Converged
		inner, fault := b.search, errors.New("fault")
		b.search = func(charge float64, rounds bool, start []int) (*search.Result, error) {
			if len(visited)+1 == last {
				return nil, fault
			}
			return inner(charge, rounds, start)
		}
		if _, err := b.find(full); errors.Is(err, fault) != (last <= 9) {
			t.Errorf("an error in search %d: %v", last, err)
		}
	}
	var visited []float64
	b, find := additiveBudget(gains{{0, 0, 0}, {30, 0, 0}, {10, 10, 0}}, &visited, 0)
	b.edges = 1
	full := &search.Result{Parents: [][]int{nil, nil, {0, 1}}, Edges: 2, Order: []int{0, 1, 2}, Penalty: 8}
	if got, err := b.find(full); err != nil || fmt.Sprint(got.parents) != fmt.Sprint(find(10).Parents) || got.value != -30 {
		t.Errorf("parents %v with the score %v, %v, want the edge that only a search finds", got.parents, got.value, err)
	}
	// Without a least gain, an edge that loses is within the budget.
	visited = nil
	b, _ = additiveBudget(gains{{0, 0, 0}, {30, 0, 0}, {-5, 10, 0}}, &visited, 0)
	b.edges = 3
	full = &search.Result{Parents: [][]int{nil, {0}, {0, 1}}, Edges: 3, Order: []int{0, 1, 2}, Penalty: 8}
	if _, err := b.find(full); err != nil || len(visited) > 0 {
		t.Errorf("searches with the charges %v, %v, want none", visited, err)
	}
}
