package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestKnowledgeRanges checks that each end of a required edge must be a variable, and what the error names.
func TestKnowledgeRanges(t *testing.T) {
	for _, e := range [][2]int{{-1, 1}, {4, 1}, {1, -1}, {1, 4}, {2, 2}} {
		errs := Knowledge{Required: [][2]int{{0, 3}, e}}.faults(4)
		want := fmt.Sprintf("Required[1] = %d → %d, want two different variables of 0..3", e[0], e[1])
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), want) {
			t.Errorf("edge %v: %v, want %q", e, errs, want)
		}
	}
	if errs := (Knowledge{Required: [][2]int{{0, 3}, {3, 1}}}).faults(4); len(errs) != 0 {
		t.Errorf("sound edges: %v", errs)
	}
}

// TestCheckOrder checks orders with each kind of fault, and that the first two places count as well.
func TestCheckOrder(t *testing.T) {
	k := Knowledge{Required: [][2]int{{2, 1}}, Tiers: []int{1, 0, 0, 1}}
	for _, c := range []struct {
		order []int
		want  string
	}{
		{[]int{2, 1, 0, 3}, ""},
		{[]int{2, 1, 3, 0}, ""},
		{[]int{2, -1, 0, 3}, "entry 1 = -1, want a permutation of 0..3"},
		{[]int{2, 1, 0, 4}, "entry 3 = 4, want a permutation of 0..3"},
		{[]int{2, 1, 2, 3}, "entry 2 = 2, want a permutation of 0..3"},
		{[]int{2, 1, 0}, "3 entries for 4 variables"},
		{[]int{1, 2, 0, 3}, "1 stands before 2, but the edge 2 → 1 is required"},
		{[]int{0, 2, 1, 3}, "0 (tier 1) stands before 2 (tier 0)"},
		{[]int{2, 0, 1, 3}, "0 (tier 1) stands before 1 (tier 0)"},
	} {
		err := k.checkOrder(c.order, 4)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("order %v: error %v, want %q", c.order, err, c.want)
		}
	}
}

// TestSpan compares the positions that a variable may move to with a trial of every position, under tiers, required edges and both.
func TestSpan(t *testing.T) {
	order := []int32{3, 0, 4, 1, 2, 5}
	pos := make([]int32, 6)
	for i, v := range order {
		pos[v] = int32(i)
	}
	for name, k := range map[string]Knowledge{
		"none":           {},
		"tiers":          {Tiers: []int{0, 1, 1, 0, 1, 7}},
		"required":       {Required: [][2]int{{3, 4}, {0, 4}, {4, 2}, {4, 5}, {3, 1}}},
		"both":           {Tiers: []int{0, 1, 1, 0, 1, 7}, Required: [][2]int{{3, 0}, {4, 2}, {4, 5}}},
		"required first": {Required: [][2]int{{0, 2}, {3, 2}, {1, 5}, {1, 2}}},
	} {
		r := k.compile(6)
		for v := range int32(6) {
			rest := slices.DeleteFunc(slices.Clone(order), func(x int32) bool { return x == v })
			var allowed []int32
			for at := range 6 {
				moved := make([]int, 0, 6)
				for _, x := range slices.Insert(slices.Clone(rest), at, v) {
					moved = append(moved, int(x))
				}
				if k.checkOrder(moved, 6) == nil {
					allowed = append(allowed, int32(at))
				}
			}
			if lo, hi := r.span(v, pos); lo != allowed[0] || hi != allowed[len(allowed)-1] {
				t.Errorf("%s: variable %d may move to %d..%d, want %v", name, v, lo, hi, allowed)
			}
		}
	}
}

// TestForbiddenOfTiers checks that tiers alone forbid the edges from a later tier to an earlier one, and no variable is forbidden itself.
func TestForbiddenOfTiers(t *testing.T) {
	tiers := []int{2, 0, 2, 1}
	for name, k := range map[string]Knowledge{
		"tiers": {Tiers: tiers},
		"both":  {Tiers: tiers, Forbidden: func(i, j int) bool { return i == 1 && j != 3 || i == j }},
	} {
		r := k.compile(4)
		for v := range 4 {
			for x := range 4 {
				want := x != v && (tiers[x] > tiers[v] || name == "both" && x == 1 && v != 3)
				if got := r.isForbidden(int32(x), int32(v)); got != want {
					t.Errorf("%s: %d → %d is forbidden: %v, want %v", name, x, v, got, want)
				}
			}
		}
	}
}

// TestRepair checks the allowed order closest to a wish, with and without required edges and tiers.
func TestRepair(t *testing.T) {
	wish := []int32{3, 1, 0, 2}
	for _, c := range []struct {
		name string
		k    Knowledge
		want []int32
	}{
		{"none", Knowledge{}, []int32{3, 1, 0, 2}},
		{"tiers", Knowledge{Tiers: []int{0, 1, 0, 1}}, []int32{0, 2, 3, 1}},
		{"required", Knowledge{Required: [][2]int{{0, 3}}}, []int32{1, 0, 3, 2}},
		{"both", Knowledge{Tiers: []int{0, 1, 0, 1}, Required: [][2]int{{1, 3}}}, []int32{0, 2, 1, 3}},
	} {
		r := c.k.compile(4)
		if got := r.repair(wish); !slices.Equal(got, c.want) {
			t.Errorf("%s: order %v, want %v", c.name, got, c.want)
		}
	}
	if !slices.Equal(wish, []int32{3, 1, 0, 2}) {
		t.Errorf("the wish became %v", wish)
	}
}

// TestInputsComeFirst compares a search with inputs, variables that no edge may lead to, with the exhaustive search, and checks that
// inputs stay before all other variables.
func TestInputsComeFirst(t *testing.T) {
	for seed := range uint64(8) {
		p := randomSample(9, 14, 300, 1, seed).problem()
		input := func(v int) bool { return v%3 == 0 }
		p.Knowledge.Forbidden = func(_, j int) bool { return input(j) }
		s := DefaultSettings()
		s.Exact = 12
		best := must.Get(Search(context.Background(), p, s, nil))
		s.Exact = 0
		for _, threads := range []int{1, 3} {
			s.Threads = threads
			got := must.Get(Search(context.Background(), p, s, nil))
			if got.Score > best.Score+1e-6 {
				t.Errorf("seed %d: score %v, the best is %v", seed, got.Score, best.Score)
			}
			for v, parents := range got.Parents {
				if input(v) && len(parents) > 0 {
					t.Errorf("seed %d: input %d has parents %v", seed, v, parents)
				}
			}
			if at := slices.IndexFunc(got.Order, func(v int) bool { return !input(v) }); at != 3 {
				t.Errorf("seed %d: the order is %v", seed, got.Order)
			}
		}
	}
}

// TestInputsOfKnowledge checks which variables count as inputs: those with every parent forbidden, unless that is all or none.
func TestInputsOfKnowledge(t *testing.T) {
	for _, c := range []struct {
		name      string
		forbidden func(i, j int) bool
		targets   []int32
		first     []int32
	}{
		{"nothing is forbidden", nil, nil, nil},
		{"one edge is forbidden", func(i, j int) bool { return i == 0 && j == 1 }, nil, nil},
		{"everything is forbidden", func(int, int) bool { return true }, nil, nil},
		{"variables 0 and 2 have no parents", func(_, j int) bool { return j == 0 || j == 2 }, []int32{1, 3}, []int32{0, 2, 0, 2}},
		{"variable 3 has one parent left", func(i, j int) bool { return j == 0 || j == 3 && i != 0 }, []int32{1, 2, 3}, []int32{0, 1, 1, 1}},
	} {
		r := Knowledge{Forbidden: c.forbidden}.compile(4)
		if !slices.Equal(r.targets, c.targets) || (r.targets == nil) != (c.targets == nil) || !slices.Equal(r.first, c.first) {
			t.Errorf("%s: targets %v, first positions %v, want %v and %v", c.name, r.targets, r.first, c.targets, c.first)
		}
		for v := range int32(4) {
			if want := c.targets == nil || slices.Contains(c.targets, v); r.isTarget(v) != want {
				t.Errorf("%s: variable %d is a target: %v, want %v", c.name, v, !want, want)
			}
		}
	}
}
