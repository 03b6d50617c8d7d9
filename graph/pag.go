package graph

import "slices"

// A PAG is a graph on nodes 0..n-1 with a mark at each end of an edge and at most one edge between two nodes, stored as a sorted
// list of neighbours per node for the orientation rules. A MAG, a maximal ancestral graph, is a PAG without circles; LatentMAG and
// Member return one.
//
// Reading a mark takes a binary search, adding an edge the degree of its ends. Several goroutines may read a PAG as long as none
// changes it.
type PAG struct {
	near [][]int
	ends [][]Mark // ends[i][k] is the mark at near[i][k] of the edge between i and near[i][k]
}

// NewPAG returns the graph on n nodes without edges.
func NewPAG(n int) *PAG { return &PAG{near: make([][]int, n), ends: make([][]Mark, n)} }

// PAGOf returns m as a PAG.
func PAGOf(m *Mixed) *PAG {
	p := NewPAG(m.N())
	for _, e := range m.Edges() {
		p.Set(e.From, e.To, e.AtFrom, e.AtTo)
	}
	return p
}

// N returns the number of nodes.
func (p *PAG) N() int { return len(p.near) }

// Neighbors returns the sorted nodes adjacent to i. The list belongs to p: do not change it, and do not use it after adding or
// removing an edge.
func (p *PAG) Neighbors(i int) []int { return p.near[i] }

// Adjacent reports whether an edge joins i and j.
func (p *PAG) Adjacent(i, j int) bool {
	_, ok := slices.BinarySearch(p.near[i], j)
	return ok
}

// At returns the mark at j of the edge between i and j, or 0 without an edge.
func (p *PAG) At(i, j int) Mark {
	if k, ok := slices.BinarySearch(p.near[i], j); ok {
		return p.ends[i][k]
	}
	return 0
}

// Set sets the edge i, j with these marks and replaces an existing one. It panics if i == j.
func (p *PAG) Set(i, j int, atI, atJ Mark) {
	if i == j {
		panic("graph: a PAG has no self-loops")
	}
	p.put(i, j, atJ)
	p.put(j, i, atI)
}

func (p *PAG) put(i, j int, atJ Mark) {
	k, ok := slices.BinarySearch(p.near[i], j)
	if ok {
		p.ends[i][k] = atJ
		return
	}
	p.near[i] = slices.Insert(p.near[i], k, j)
	p.ends[i] = slices.Insert(p.ends[i], k, atJ)
}

// Mark sets the mark at j of the edge between i and j, if it exists.
func (p *PAG) Mark(i, j int, atJ Mark) {
	if k, ok := slices.BinarySearch(p.near[i], j); ok {
		p.ends[i][k] = atJ
	}
}

// Remove removes the edge of the pair, if any.
func (p *PAG) Remove(i, j int) {
	for range 2 {
		if k, ok := slices.BinarySearch(p.near[i], j); ok {
			p.near[i] = slices.Delete(p.near[i], k, k+1)
			p.ends[i] = slices.Delete(p.ends[i], k, k+1)
		}
		i, j = j, i
	}
}

// Skeleton returns the edges with From < To, sorted. The caller owns the slice.
func (p *PAG) Skeleton() []Edge {
	var out []Edge
	for i, near := range p.near {
		for _, j := range after(near, i) {
			out = append(out, Edge{i, j})
		}
	}
	return out
}

// NumEdges returns the number of edges.
func (p *PAG) NumEdges() int {
	n := 0
	for _, near := range p.near {
		n += len(near)
	}
	return n / 2
}

func (p *PAG) directed(i, j int) bool { return p.At(i, j) == Arrow && p.At(j, i) == Tail }

// Directed returns the graph of the edges i → j only.
func (p *PAG) Directed() *Graph {
	g := New(p.N())
	for i, near := range p.near {
		for _, j := range near {
			if p.directed(i, j) {
				g.AddEdge(i, j)
			}
		}
	}
	return g
}

// Clone returns a copy that shares nothing with p.
func (p *PAG) Clone() *PAG {
	q := NewPAG(p.N())
	for i := range p.near {
		q.near[i], q.ends[i] = slices.Clone(p.near[i]), slices.Clone(p.ends[i])
	}
	return q
}

// Circles returns the graph with the same adjacencies and only circles.
func (p *PAG) Circles() *PAG {
	q := p.Clone()
	for _, ends := range q.ends {
		for k := range ends {
			ends[k] = Circle
		}
	}
	return q
}

// Equal reports whether p and q have the same nodes, edges and marks.
func (p *PAG) Equal(q *PAG) bool {
	return slices.EqualFunc(p.near, q.near, func(a, b []int) bool { return slices.Equal(a, b) }) &&
		slices.EqualFunc(p.ends, q.ends, func(a, b []Mark) bool { return slices.Equal(a, b) })
}

// Mixed returns p as a mixed graph of kind PAG.
func (p *PAG) Mixed() *Mixed {
	m := NewMixed(KindPAG, p.N())
	for _, e := range p.Skeleton() {
		m.Set(MarkedEdge{e, p.At(e.To, e.From), p.At(e.From, e.To)})
	}
	return m
}
