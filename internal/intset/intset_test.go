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

func TestRange(t *testing.T) {
	for _, c := range []struct {
		first, end int
		want       []int
	}{{0, 3, []int{0, 1, 2}}, {1, 3, []int{1, 2}}, {2, 2, []int{}}, {1, 0, []int{}}} {
		if got := Range(c.first, c.end); !slices.Equal(got, c.want) {
			t.Errorf("%d to %d: %v, want %v", c.first, c.end, got, c.want)
		}
	}
}
