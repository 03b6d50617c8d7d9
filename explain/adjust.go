package explain

import (
	"slices"

	"github.com/polydag/polydag/graph"
)

// isBackDoor reports whether z meets the back-door criterion for the effect of a on b (Pearl 2009, definition 3.3.1): no node of
// z descends from a, and z d-separates a from b once the edges out of a are gone. A set with a or b in it does not.
func (m *Model) isBackDoor(a, b int, z []int) bool {
	after := m.graph.Descendants([]int{a})
	for _, v := range z {
		if v == b || after[v] {
			return false
		}
	}
	g := m.graph.Clone()
	for _, c := range slices.Clone(g.Children(a)) {
		g.RemoveEdge(a, c)
	}
	return g.DSeparated([]int{a}, []int{b}, z)
}

// backDoorSet returns a minimal set of parents of a that meets the back-door criterion: no proper subset does. The parents always do
// unless b is one of them, and then no set does. Nodes are dropped one by one, the last column first; where no single one
// can go, no several can: Tian, Paz and Pearl (1998), "Finding minimal d-separators".
func (m *Model) backDoorSet(a, b int) (z []int, ok bool) {
	z = slices.Clone(m.graph.Parents(a))
	if slices.Contains(z, b) {
		return nil, false
	}
	for k := len(z) - 1; k >= 0; k-- {
		if less := slices.Delete(slices.Clone(z), k, k+1); m.isBackDoor(a, b, less) {
			z = less
		}
	}
	return z, true
}

// adjustmentRests returns the reversible edges that the choice of the set rests on: those at a, which decide its parents, and
// those among ancestors of a and b, which alone decide d-separation.
func (m *Model) adjustmentRests(a, b int) []graph.Edge {
	before := m.graph.Ancestors([]int{a, b})
	var out []graph.Edge
	for _, e := range m.graph.Edges() {
		if m.reversible[e] && (e.From == a || e.To == a || before[e.From] && before[e.To]) {
			out = append(out, e)
		}
	}
	return out
}

// IsAdjustment reports whether a set of columns meets the back-door criterion for the effect of from on to: none of them descends from
// from, and they block every path into it.
func (m *Model) IsAdjustment(from, to string, set []string) (bool, error) {
	a, err := m.node(from)
	if err != nil {
		return false, err
	}
	b, err := m.node(to)
	if err != nil {
		return false, err
	}
	var z []int
	for _, name := range set {
		v, err := m.node(name)
		if err != nil {
			return false, err
		}
		z = append(z, v)
	}
	return m.isBackDoor(a, b, z), nil
}
