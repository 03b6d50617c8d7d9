package eliminate

import (
	"sync"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
)

// Model is a DAG over categorical columns with a conditional probability table for each. It is safe for
// concurrent use.
type Model struct {
	g      *graph.Graph
	rows   *mechanism.Rows
	tables []func() (*mechanism.CPT, error) // by column, computed at first use
	seed   uint64
}

// NewModel returns a model whose tables are counted in the rows at first use. The seed is for sampling.
func NewModel(g *graph.Graph, d *mechanism.Rows, seed uint64) *Model {
	m := &Model{g: g, rows: d, tables: make([]func() (*mechanism.CPT, error), g.N()), seed: seed}
	for v := range m.tables {
		m.tables[v] = sync.OnceValues(func() (*mechanism.CPT, error) { return mechanism.NewCPT(d, v, g.Parents(v)) })
	}
	return m
}

// Table returns the conditional probability table of a column.
func (m *Model) Table(v int) (*mechanism.CPT, error) { return m.tables[v]() }

// Levels returns the number of levels of a column.
func (m *Model) Levels(v int) int { return len(m.rows.Levels[v]) }

func (m *Model) network(evidence map[int]int) *Network {
	return &Network{of: m, seed: m.seed, evidence: evidence}
}

// A world maps columns to nodes of a network under an intervention. Columns that are not descendants of the
// intervention are shared by all worlds. Descendants are separate in each world and independent given their
// parents, which defines path-specific effects without noise terms (Pearl 2001).
type world struct {
	own, shared map[int]int
	after       []bool // the intervened column and its descendants
}

// place returns the node of a column and adds its ancestors before it.
func (m *Model) place(n *Network, w *world, column int) int {
	memo := w.shared
	if w.after[column] {
		memo = w.own
	}
	if k, ok := memo[column]; ok {
		return k
	}
	var parents []int
	for _, p := range m.g.Parents(column) {
		parents = append(parents, m.place(n, w, p))
	}
	k := n.add(netNode{column: column, parents: parents, fixed: -1})
	if m, ok := n.evidence[column]; ok && !w.after[column] {
		n.Nodes[k].seen, n.Nodes[k].code = true, m
	}
	memo[column] = k
	return k
}

// set returns a world in which a has the level with code x.
func (m *Model) set(n *Network, shared map[int]int, a, x int) *world {
	w := &world{own: map[int]int{}, shared: shared, after: m.g.Descendants([]int{a})}
	w.after[a] = true
	w.own[a] = n.add(netNode{column: a, fixed: x})
	return w
}

// Given returns the network with an intervention on a and with known codes of some columns that a does not
// affect, and the node of b.
func (m *Model) Given(a, b, code int, evidence map[int]int) (n *Network, target int) {
	n = m.network(evidence)
	w := m.set(n, map[int]int{}, a, code)
	for v := range m.g.N() { // in the order of the columns, so that sums are deterministic
		if _, ok := evidence[v]; ok && !w.after[v] {
			m.place(n, w, v)
		}
	}
	return n, m.place(n, w, b)
}

// Along returns the network with an intervention on a, except that the edge from a to b carries another level,
// and the node of b.
func (m *Model) Along(a, b, code, carried int) (n *Network, target int) {
	n = m.network(nil)
	w := m.set(n, map[int]int{}, a, code)
	if !m.g.HasEdge(a, b) {
		return n, m.place(n, w, b)
	}
	var parents []int
	for _, p := range m.g.Parents(b) {
		if p == a {
			parents = append(parents, n.add(netNode{column: a, fixed: carried}))
		} else {
			parents = append(parents, m.place(n, w, p))
		}
	}
	return n, n.add(netNode{column: b, parents: parents, fixed: -1})
}

// Mediated returns the network with an intervention on a, except that column by is as under another level, and
// the node of b.
func (m *Model) Mediated(a, b, by, code, end int) (n *Network, target int) {
	n = m.network(nil)
	shared := map[int]int{}
	mediator := m.place(n, m.set(n, shared, a, end), by)
	start := m.set(n, shared, a, code)
	start.own[by] = mediator
	return n, m.place(n, start, b)
}

// NewPass plans the effects of an intervention on a on some columns and returns its network. The pass is nil if
// it would need too much memory.
func (m *Model) NewPass(a int, columns []int) (*Pass, *Network) {
	n := m.network(nil)
	w := m.set(n, map[int]int{}, a, 0)
	var at []looked
	for _, b := range columns {
		at = append(at, looked{column: b, node: m.place(n, w, b), child: m.g.HasEdge(a, b)})
	}
	return newPass(n, at), n
}
