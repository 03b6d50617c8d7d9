package explain

import (
	"slices"

	"github.com/polydag/polydag/graph"
)

// isBackDoor reports whether z meets the back-door criterion for the effect of a on b (Pearl 2009, definition 3.3.1): no node of z
// descends from a, and z d-separates a from b after the edges out of a are removed. z must not contain a or b.
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

// backDoorSet returns a minimal set of parents of a that meets the back-door criterion: no proper subset does. The set of all
// parents always does unless b is a parent; then no set does. Nodes are dropped one by one, the last column first; if no single
// node can be dropped, no set of nodes can: Tian, Paz and Pearl (1998), "Finding minimal d-separators".
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

// adjustmentRests returns the undirected edges that the adjustment set depends on: those at a, which decide its parents, and those
// among ancestors of a and b, which decide d-separation.
func (m *Model) adjustmentRests(a, b int) []graph.Edge {
	before := m.graph.Ancestors([]int{a, b})
	var out []graph.Edge
	for _, e := range m.graph.Edges() {
		if m.undirected[e] && (e.From == a || e.To == a || before[e.To]) { // then e.From is an ancestor too
			out = append(out, e)
		}
	}
	return out
}

// IsAdjustment reports whether a set of columns meets the back-door criterion for the effect of from on to: no column descends from
// from, and the set blocks every back-door path.
func (m *Model) IsAdjustment(from, to string, set []string) (bool, error) {
	var nodes []int
	for _, name := range slices.Concat([]string{from, to}, set) {
		v, err := m.node(name)
		if err != nil {
			return false, err
		}
		nodes = append(nodes, v)
	}
	return m.isBackDoor(nodes[0], nodes[1], nodes[2:]), nil
}

// An Adjusted is a column with one of its descendants and what to adjust for.
type Adjusted struct {
	graph.Link
	Set   []string // minimal back-door set, as in Adjustment
	After []string // all columns that descend from From
}

// Adjusted lists the adjustment set of the effect of each column on each of its descendants, nearest pairs first, for at most most
// pairs. all is the number of pairs.
func (m *Model) Adjusted(most int) (list []Adjusted, all int) {
	pairs := m.graph.Descents()
	after := make([][]string, len(m.names))
	for _, p := range pairs {
		after[p.From] = append(after[p.From], m.names[p.To])
	}
	for _, p := range pairs[:min(most, len(pairs))] {
		set, _ := m.backDoorSet(p.From, p.To) // exists, since a descendant is not a parent
		list = append(list, Adjusted{graph.Link{From: m.names[p.From], To: m.names[p.To]}, m.named(set), after[p.From]})
	}
	return list, len(pairs)
}
