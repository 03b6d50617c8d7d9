package graph

import (
	"slices"
	"testing"
)

// TestRule7 checks R7 of Zhang (2008): a —o b o—* c becomes a —o b —* c if and only if a and c are not
// adjacent.
func TestRule7(t *testing.T) {
	for _, adjacent := range []bool{false, true} {
		p := NewPAG(3)
		p.Set(0, 1, Tail, Circle)
		p.Set(1, 2, Circle, Circle)
		if adjacent {
			p.Set(0, 2, Circle, Circle)
		}
		if changed := p.selection(); changed == adjacent || (p.At(2, 1) == Tail) == adjacent {
			t.Errorf("adjacent %v: changed %v, mark %v", adjacent, changed, p.At(2, 1))
		}
	}
}

// TestDiscriminatingPathsHaveColliders checks that every inner node of a discriminating path is a collider: 0
// *→ 1 ↔ 2 ↔ 3 discriminates 3 for 4, but not with 1 → 2 or 1 o→ 2.
func TestDiscriminatingPathsHaveColliders(t *testing.T) {
	for _, mark := range []Mark{Arrow, Tail, Circle} {
		p := NewPAG(5)
		p.Set(0, 1, Circle, Arrow)
		p.Set(1, 2, mark, Arrow)
		p.Set(1, 4, Tail, Arrow)
		p.Set(2, 3, Arrow, Arrow)
		p.Set(2, 4, Tail, Arrow)
		p.Set(3, 4, Circle, Circle)
		path := p.discriminating(2, 3, 4, 0)
		if want := []int{0, 1, 2, 3, 4}; mark == Arrow && !slices.Equal(path, want) || mark != Arrow && path != nil {
			t.Errorf("mark %v at node 1: %v", mark, path)
		}
	}
}

// TestImproveTakesSmallGains checks that a gain far below the total weight, but above rounding, moves a node.
func TestImproveTakesSmallGains(t *testing.T) {
	c := &component{k: 2, arcs: []weightedEdge{{Edge{1, 0}, 1.0001}, {Edge{0, 1}, 1}}, at: [][]int{{0, 1}, {0, 1}}}
	order := []int{0, 1}
	if c.improve(order); !slices.Equal(order, []int{1, 0}) {
		t.Errorf("order %v", order)
	}
	c.arcs[0].weight = 1 + 1e-15 // rounding
	order = []int{0, 1}
	if c.improve(order); !slices.Equal(order, []int{0, 1}) {
		t.Errorf("a gain by rounding moves a node: %v", order)
	}
}

// A search for a cycle shorter than a limit finds none of that length.
func TestCyclesBelowALimit(t *testing.T) {
	g := New(3)
	for v := range 3 {
		g.AddEdge(v, (v+1)%3)
	}
	for limit, want := range map[int]int{0: 3, 3: 0, 4: 3} {
		s := &cycleSearch{g: g, component: []int{1, 1, 1}, from: make([]int, 3), depth: make([]int, 3), mark: make([]int, 3)}
		if got := s.through(0, limit); len(got) != want {
			t.Errorf("limit %d: %v", limit, got)
		}
	}
}

// ParseSymbol refuses what Symbol does not write.
func TestParseSymbolRefuses(t *testing.T) {
	for _, s := range []string{"", "-", "->", "abc", "o=o", ">->", "x-o", "o-x", "---->", "-->>"} {
		if _, _, err := ParseSymbol(s); err == nil {
			t.Errorf("%q is an edge", s)
		}
	}
}
