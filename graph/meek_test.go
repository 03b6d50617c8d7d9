package graph

import "testing"

// TestCloseBut checks that 0 → 1 — 2 becomes 1 → 2 unless the triple or the direction is in doubt, and that doubts of other triples
// and directions do not matter.
func TestCloseBut(t *testing.T) {
	is := func(want [3]int) func(a, b, c int) bool {
		return func(a, b, c int) bool { return [3]int{a, b, c} == want }
	}
	for _, c := range []struct {
		name     string
		doubt    Doubt
		directed bool
	}{
		{"none", noDoubt(), true},
		{"the triple", Doubt{Edge: noDoubt().Edge, Triple: is([3]int{0, 1, 2})}, false},
		{"another triple", Doubt{Edge: noDoubt().Edge, Triple: is([3]int{2, 0, 1})}, true},
		{"the direction", Doubt{Edge: func(x, y int) bool { return x == 1 && y == 2 }, Triple: noDoubt().Triple}, false},
		{"the other direction", Doubt{Edge: func(x, y int) bool { return x == 2 && y == 1 }, Triple: noDoubt().Triple}, true},
	} {
		p := NewPDAG(3)
		p.SetDirected(0, 1)
		p.SetUndirected(1, 2)
		p.CloseBut(c.doubt)
		if got := p.HasDirected(1, 2); got != c.directed {
			t.Errorf("doubt of %s: 1 → 2 is %v, want %v", c.name, got, c.directed)
		}
	}
}

// TestMixedRefusesOtherEdges checks the first and the last node, the marks, and each fault that Set names.
func TestMixedRefusesOtherEdges(t *testing.T) {
	set := func(e MarkedEdge) (panics bool) {
		defer func() { panics = recover() != nil }()
		NewMixed(KindPAG, 3).Set(e)
		return false
	}
	for _, c := range []struct {
		from, to int
		a, b     Mark
		panics   bool
	}{
		{0, 2, Tail, Circle, false}, {2, 0, Circle, Tail, false},
		{1, 1, Tail, Arrow, true}, {-1, 2, Tail, Arrow, true}, {2, -1, Tail, Arrow, true}, {0, 3, Tail, Arrow, true}, {3, 0, Tail, Arrow, true},
		{0, 1, Tail - 1, Arrow, true}, {0, 1, Tail, Circle + 1, true}, {0, 1, Tail, Tail - 1, true}, {0, 1, Circle + 1, Arrow, true},
	} {
		if got := set(MarkedEdge{Edge{From: c.from, To: c.to}, c.a, c.b}); got != c.panics {
			t.Errorf("edge from %d to %d with marks %v and %v: panics %v, want %v", c.from, c.to, c.a, c.b, got, c.panics)
		}
	}
}
