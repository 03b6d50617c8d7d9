package intervene

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
)

// discrete is a DAG over columns of levels with a table of probabilities for each.
type discrete struct {
	g      *graph.Graph
	levels [][]float64
	tables []*table
	data   *data
	seed   uint64
}

// table has the probabilities of a column's levels for each configuration of its parents that occurs; parents are those of
// the graph in its order. It is filled when it is first asked for.
type table struct {
	stride  []int64
	rows    map[int64][]float64
	overall []float64 // of a configuration that does not occur
}

func fitDiscrete(g *graph.Graph, d *data, seed uint64) *discrete {
	return &discrete{g: g, levels: d.levels, tables: make([]*table, g.N()), data: d, seed: seed}
}

// table counts the rows in which v was not set. One row more with the overall shares of the levels is spread over all
// configurations, so that one which does not occur has these shares and one with many rows its own:
//
//	P(c | z) = (n(c, z) + p(c)/q) / (n(z) + 1/q), q configurations.
func (m *discrete) table(v int) (*table, error) {
	if m.tables[v] != nil {
		return m.tables[v], nil
	}
	parents := m.g.Parents(v)
	t := &table{stride: make([]int64, len(parents)), rows: map[int64][]float64{}, overall: make([]float64, len(m.levels[v]))}
	configs := int64(1)
	for i, p := range parents {
		t.stride[i] = configs
		if configs > math.MaxInt64/int64(len(m.levels[p])) {
			return nil, fault.New(ErrTooWide, fmt.Sprintf("a column has %d parents, more than their configurations can be numbered", len(parents)), "learn a sparser graph")
		}
		configs *= int64(len(m.levels[p]))
	}
	total := 0.0
	for i := range m.data.n {
		if !m.data.tells(v, i) {
			continue
		}
		key := int64(0)
		for k, p := range parents {
			key += t.stride[k] * int64(m.data.code(p, m.data.columns[p][i]))
		}
		row := t.rows[key]
		if row == nil {
			row = make([]float64, len(m.levels[v]))
			t.rows[key] = row
		}
		c := m.data.code(v, m.data.columns[v][i])
		row[c]++
		t.overall[c]++
		total++
	}
	for c := range t.overall {
		t.overall[c] = (t.overall[c] + 1/float64(len(t.overall))) / (total + 1)
	}
	share := 1 / float64(configs)
	for _, row := range t.rows {
		n := 0.0
		for _, x := range row {
			n += x
		}
		for c := range row {
			row[c] = (row[c] + share*t.overall[c]) / (n + share)
		}
	}
	m.tables[v] = t
	return t, nil
}

// at returns the probabilities where the parents have these codes.
func (t *table) at(codes []int) []float64 {
	key := int64(0)
	for k, c := range codes {
		key += t.stride[k] * int64(c)
	}
	if row := t.rows[key]; row != nil {
		return row
	}
	return t.overall
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
	n := &network{of: m, evidence: evidence}
	w := m.set(n, map[int]int{}, a, m.data.code(a, x))
	for v := range m.g.N() { // in the order of the columns, so that sums are always the same
		if _, ok := evidence[v]; ok && !w.after[v] {
			m.place(n, w, v)
		}
	}
	return n.query(m.place(n, w, b))
}

func (m *discrete) direct(a, b int, x0, x1 float64) ([]float64, error) {
	n := &network{of: m}
	w := m.set(n, map[int]int{}, a, m.data.code(a, x0))
	if !m.g.HasEdge(a, b) {
		return probabilities(n.query(m.place(n, w, b)))
	}
	var parents []int
	for _, p := range m.g.Parents(b) {
		if p == a {
			parents = append(parents, n.add(netNode{column: a, fixed: m.data.code(a, x1)}))
		} else {
			parents = append(parents, m.place(n, w, p))
		}
	}
	return probabilities(n.query(n.add(netNode{column: b, parents: parents, fixed: -1})))
}

func (m *discrete) through(a, b, by int, x0, x1 float64) ([]float64, error) {
	n := &network{of: m}
	shared := map[int]int{}
	end := m.set(n, shared, a, m.data.code(a, x1))
	mediator := m.place(n, end, by)
	start := m.set(n, shared, a, m.data.code(a, x0))
	start.own[by] = mediator
	return probabilities(n.query(m.place(n, start, b)))
}

func probabilities(d *dist, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	return d.levels, nil
}
