package effect

import (
	"sync"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
)

// discrete is a DAG over columns of levels with a table of probabilities for each. Several goroutines may ask it.
type discrete struct {
	g      *graph.Graph
	levels [][]float64
	tables []func() (*mechanism.CPT, error) // by column, made when they are first asked for
	data   *mechanism.Rows
	seed   uint64
}

func fitDiscrete(g *graph.Graph, d *mechanism.Rows, seed uint64) *discrete {
	m := &discrete{g: g, levels: d.Levels, tables: make([]func() (*mechanism.CPT, error), g.N()), data: d, seed: seed}
	for v := range m.tables {
		m.tables[v] = sync.OnceValues(func() (*mechanism.CPT, error) { return mechanism.NewCPT(d, v, g.Parents(v)) })
	}
	return m
}

// Table returns the conditional probability table of a column.
func (m *discrete) Table(v int) (*mechanism.CPT, error) { return m.tables[v]() }

// Levels returns the number of levels of a column.
func (m *discrete) Levels(v int) int { return len(m.levels[v]) }

func (m *discrete) network(evidence map[int]int) *network {
	return &network{of: m, seed: m.seed, evidence: evidence}
}

// query returns the distribution of a node of a network.
func query(n *network, target int) (*dist, error) {
	p, exact, standardError, err := n.query(target)
	if err != nil {
		return nil, err
	}
	if exact {
		return &dist{levels: p, by: byElimination}, nil
	}
	return &dist{levels: p, by: bySampling, err: standardError}, nil
}

// newPass plans what setting a does to some columns, and returns its network. The pass is nil where it would need too much memory.
func (m *discrete) newPass(a int, columns []int) (*pass, *network) {
	n := m.network(nil)
	w := m.set(n, map[int]int{}, a, 0)
	var at []looked
	for _, b := range columns {
		at = append(at, looked{column: b, node: m.place(n, w, b), child: m.g.HasEdge(a, b)})
	}
	return newPass(n, at), n
}

// A world says which node of a network stands for each column where something is set. Columns that do not descend from what is set are
// the same in all worlds; those that do are drawn anew in each, independently given their parents, which is what
// effects through a column mean where there is no noise to keep (Pearl 2001).
type world struct {
	own, shared map[int]int
	after       []bool // what is set, and what descends from it
}

// place returns the node of a column, with all its ancestors before it.
func (m *discrete) place(n *network, w *world, column int) int {
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
		n.nodes[k].seen, n.nodes[k].code = true, m
	}
	memo[column] = k
	return k
}

// set returns a world in which a has the level with code x.
func (m *discrete) set(n *network, shared map[int]int, a, x int) *world {
	w := &world{own: map[int]int{}, shared: shared, after: m.g.Descendants([]int{a})}
	w.after[a] = true
	w.own[a] = n.add(netNode{column: a, fixed: x})
	return w
}

func (m *discrete) do(a, b int, x float64) ([]float64, error) {
	d, err := m.distribution(a, b, x)
	if err != nil {
		return nil, err
	}
	return d.levels, nil
}

func (m *discrete) distribution(a, b int, x float64) (*dist, error) { return m.given(a, b, x, nil) }

// given is the distribution of b where a is set and some columns that a does not change have known codes.
func (m *discrete) given(a, b int, x float64, evidence map[int]int) (*dist, error) {
	n := m.network(evidence)
	w := m.set(n, map[int]int{}, a, m.data.Code(a, x))
	for v := range m.g.N() { // in the order of the columns, so that sums are always the same
		if _, ok := evidence[v]; ok && !w.after[v] {
			m.place(n, w, v)
		}
	}
	return query(n, m.place(n, w, b))
}

func (m *discrete) direct(a, b int, x0, x1 float64) ([]float64, error) {
	n := m.network(nil)
	w := m.set(n, map[int]int{}, a, m.data.Code(a, x0))
	if !m.g.HasEdge(a, b) {
		return probabilities(query(n, m.place(n, w, b)))
	}
	var parents []int
	for _, p := range m.g.Parents(b) {
		if p == a {
			parents = append(parents, n.add(netNode{column: a, fixed: m.data.Code(a, x1)}))
		} else {
			parents = append(parents, m.place(n, w, p))
		}
	}
	return probabilities(query(n, n.add(netNode{column: b, parents: parents, fixed: -1})))
}

func (m *discrete) through(a, b, by int, x0, x1 float64) ([]float64, error) {
	n, target := m.mediated(a, b, by, x0, x1)
	return probabilities(query(n, target))
}

// mediated is the network of through, and its target.
func (m *discrete) mediated(a, b, by int, x0, x1 float64) (n *network, target int) {
	n = m.network(nil)
	shared := map[int]int{}
	end := m.set(n, shared, a, m.data.Code(a, x1))
	mediator := m.place(n, end, by)
	start := m.set(n, shared, a, m.data.Code(a, x0))
	start.own[by] = mediator
	return n, m.place(n, start, b)
}

func probabilities(d *dist, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	return d.levels, nil
}
