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
