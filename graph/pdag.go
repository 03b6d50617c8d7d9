package graph

// A PDAG is a partially directed graph on nodes 0..n-1: each pair of nodes has no edge, an undirected edge or one directed edge. It
// represents the DAGs with the same skeleton, the same v-structures and all the directed edges. This set may be empty; Extension
// checks that.
//
// The returned lists belong to p: do not change them, and do not use them after changing p.
type PDAG struct {
	directed   *Graph
	undirected *Graph // symmetric
}

// NewPDAG returns the PDAG on n nodes without edges.
func NewPDAG(n int) *PDAG { return &PDAG{directed: New(n), undirected: New(n)} }

// N returns the number of nodes.
func (p *PDAG) N() int { return p.directed.N() }

// SetDirected sets the edge of the pair to i → j and replaces an existing one. It panics if i == j.
func (p *PDAG) SetDirected(i, j int) {
	p.Remove(i, j)
	p.directed.AddEdge(i, j)
}

// SetUndirected sets the edge of the pair to i — j and replaces an existing one. It panics if i == j.
func (p *PDAG) SetUndirected(i, j int) {
	p.Remove(i, j)
	p.undirected.AddEdge(i, j)
	p.undirected.AddEdge(j, i)
}

// Remove removes the edge of the pair, if any. It panics if i == j.
func (p *PDAG) Remove(i, j int) {
	if i == j {
		panic("graph: a PDAG has no self-loops")
	}
	p.directed.RemoveEdge(i, j)
	p.directed.RemoveEdge(j, i)
	p.undirected.RemoveEdge(i, j)
	p.undirected.RemoveEdge(j, i)
}

// HasDirected reports whether i → j is an edge.
func (p *PDAG) HasDirected(i, j int) bool { return p.directed.HasEdge(i, j) }

// HasUndirected reports whether i — j is an edge.
func (p *PDAG) HasUndirected(i, j int) bool { return p.undirected.HasEdge(i, j) }

// Adjacent reports whether i and j have an edge, directed or undirected.
func (p *PDAG) Adjacent(i, j int) bool {
	return p.undirected.HasEdge(i, j) || p.directed.Adjacent(i, j)
}

// Parents returns the sorted nodes i with i → j.
func (p *PDAG) Parents(j int) []int { return p.directed.Parents(j) }

// Children returns the sorted nodes j with i → j.
func (p *PDAG) Children(i int) []int { return p.directed.Children(i) }

// Neighbors returns the sorted nodes j with i — j.
func (p *PDAG) Neighbors(i int) []int { return p.undirected.Children(i) }

// NumDirected returns the number of directed edges.
func (p *PDAG) NumDirected() int { return p.directed.NumEdges() }

// NumUndirected returns the number of undirected edges.
func (p *PDAG) NumUndirected() int { return p.undirected.NumEdges() / 2 }

// NumEdges returns the number of edges of both kinds.
func (p *PDAG) NumEdges() int { return p.NumDirected() + p.NumUndirected() }

// DirectedEdges returns the directed edges, sorted. The caller owns the slice.
func (p *PDAG) DirectedEdges() []Edge { return p.directed.Edges() }

// UndirectedEdges returns the undirected edges with From < To, sorted. The caller owns the slice.
func (p *PDAG) UndirectedEdges() []Edge { return p.undirected.Skeleton() }

// Clone returns a copy that shares nothing with p.
func (p *PDAG) Clone() *PDAG {
	return &PDAG{directed: p.directed.Clone(), undirected: p.undirected.Clone()}
}

// Equal reports whether p and q have the same nodes and the same edges of both kinds.
func (p *PDAG) Equal(q *PDAG) bool {
	return p.directed.Equal(q.directed) && p.undirected.Equal(q.undirected)
}
