package search

import (
	"context"
	"slices"
	"testing"
)

// TestInputsComeFirst compares a search with inputs, variables that no edge may lead to, with the exhaustive search, and checks that
// inputs stay before all other variables.
func TestInputsComeFirst(t *testing.T) {
	for seed := range uint64(8) {
		p := randomSample(9, 14, 300, 1, seed).problem()
		input := func(v int) bool { return v%3 == 0 }
		p.Knowledge.Forbidden = func(_, j int) bool { return input(j) }
		s := DefaultSettings()
		s.Exact = 12
		best, err := Search(context.Background(), p, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Exact = 0
		for _, threads := range []int{1, 3} {
			s.Threads = threads
			got, err := Search(context.Background(), p, s, nil)
			if err != nil {
				t.Fatal(err)
			}
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
