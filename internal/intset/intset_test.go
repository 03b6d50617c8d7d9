package intset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSets compares with maps.
func TestSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func() (out []int) {
		for v := range 8 {
			if rng.IntN(2) == 0 {
				out = append(out, v)
			}
		}
		return out
	}
	elements := func(in func(v int) bool) (out []int) {
		for v := range 8 {
			if in(v) {
				out = append(out, v)
			}
		}
		return out
	}
	for range 200 {
		a, b, x := draw(), draw(), rng.IntN(8)
		before := slices.Clone(a)
		for name, c := range map[string][2][]int{
			"with":    {With(a, x), elements(func(v int) bool { return v == x || slices.Contains(a, v) })},
			"without": {Without(a, x), elements(func(v int) bool { return v != x && slices.Contains(a, v) })},
			"union":   {Union(a, b), elements(func(v int) bool { return slices.Contains(a, v) || slices.Contains(b, v) })},
		} {
			if !slices.Equal(c[0], c[1]) || !slices.Equal(a, before) {
				t.Fatalf("%s of %v, %v and %d: %v, want %v", name, before, b, x, c[0], c[1])
			}
		}
	}
}
