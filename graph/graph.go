package graph

import (
	"cmp"
	"fmt"
	"slices"
)

// An Edge is the directed edge From → To, by node index.
type Edge struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// A Link is the directed edge From → To, by node name. Types with more information about an edge embed Edge or Link.
type Link struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Named returns the edge by name, where names[i] is the name of node i.
func (e Edge) Named(names []string) Link { return Link{From: names[e.From], To: names[e.To]} }

// Compare orders edges by From, then To.
func (e Edge) Compare(o Edge) int {
	return cmp.Or(cmp.Compare(e.From, o.From), cmp.Compare(e.To, o.To))
}

// A Graph is a directed graph on nodes 0..n-1 without parallel edges. Self-loops and cycles are allowed; Order and IsAcyclic detect
// them.
//
// It stores sorted lists of parents and children, so memory is O(n + edges), HasEdge is a binary search and AddEdge costs the
// degree of its ends. Several goroutines may read a Graph as long as none changes it.
type Graph struct {
	parents  [][]int
	children [][]int
	edges    int
}

// New returns the graph on n nodes without edges.
func New(n int) *Graph {
	if n < 0 {
		panic(fmt.Sprintf("graph: New(%d): negative number of nodes", n))
	}
	return &Graph{parents: make([][]int, n), children: make([][]int, n)}
}

// FromEdges returns the graph on n nodes with the given edges, in any order. Repeated edges count once. An end outside 0..n-1 is an
// error.
func FromEdges(n int, edges []Edge) (*Graph, error) {
	if n < 0 {
		return nil, fmt.Errorf("%d nodes; the number of nodes must not be negative", n)
	}
	for k, e := range edges {
		if e.From < 0 || e.From >= n || e.To < 0 || e.To >= n {
			return nil, fmt.Errorf("edge %d (%d → %d): nodes must be in 0..%d", k, e.From, e.To, n-1)
		}
	}
	g := New(n)
	for _, e := range edges {
		g.children[e.From] = append(g.children[e.From], e.To)
	}
	g.finishFrom(g.children, g.parents)
	return g, nil
}

// FromParents returns the graph in which node j has the parents parents[j], in any order. It copies the lists and panics on a
// parent outside 0..len(parents)-1.
func FromParents(parents [][]int) *Graph {
	g := New(len(parents))
	for j, p := range parents {
		for _, i := range p {
			g.check(i, j)
		}
		g.parents[j] = slices.Clone(p)
	}
	g.finishFrom(g.parents, g.children)
	return g
}

// finishFrom sorts the lists of one direction, drops repeats, and fills the other direction, which must be empty. Visiting the
// nodes in ascending order leaves it sorted.
func (g *Graph) finishFrom(have, fill [][]int) {
	g.edges = 0
	count := make([]int, len(have))
	for v, list := range have {
		slices.Sort(list)
		have[v] = slices.Compact(list)
		g.edges += len(have[v])
		for _, u := range have[v] {
			count[u]++
		}
	}
	for u, c := range count {
		if c > 0 {
			fill[u] = make([]int, 0, c)
		}
	}
	for v, list := range have {
		for _, u := range list {
			fill[u] = append(fill[u], v)
		}
	}
}

// check panics unless i and j are nodes of g.
func (g *Graph) check(i, j int) {
	if n := len(g.parents); uint(i) >= uint(n) || uint(j) >= uint(n) {
		panic(fmt.Sprintf("graph: edge %d → %d in a graph of %d nodes", i, j, n))
	}
}

// N returns the number of nodes.
func (g *Graph) N() int { return len(g.parents) }

// NumEdges returns the number of edges.
func (g *Graph) NumEdges() int { return g.edges }

// AddEdge adds i → j and reports whether it was new.
func (g *Graph) AddEdge(i, j int) bool {
	g.check(i, j)
	at, found := slices.BinarySearch(g.children[i], j)
	if found {
		return false
	}
	g.children[i] = slices.Insert(g.children[i], at, j)
	at, _ = slices.BinarySearch(g.parents[j], i)
	g.parents[j] = slices.Insert(g.parents[j], at, i)
	g.edges++
	return true
}

// RemoveEdge removes i → j and reports whether it was there.
func (g *Graph) RemoveEdge(i, j int) bool {
	g.check(i, j)
	at, found := slices.BinarySearch(g.children[i], j)
	if !found {
		return false
	}
	g.children[i] = slices.Delete(g.children[i], at, at+1)
	at, _ = slices.BinarySearch(g.parents[j], i)
	g.parents[j] = slices.Delete(g.parents[j], at, at+1)
	g.edges--
	return true
}

// HasEdge reports whether i → j is an edge.
func (g *Graph) HasEdge(i, j int) bool {
	g.check(i, j)
	c, p := g.children[i], g.parents[j]
	if len(c) <= len(p) {
		_, found := slices.BinarySearch(c, j)
		return found
	}
	_, found := slices.BinarySearch(p, i)
	return found
}

// Adjacent reports whether i → j or j → i is an edge.
func (g *Graph) Adjacent(i, j int) bool { return g.HasEdge(i, j) || g.HasEdge(j, i) }

// Parents returns the sorted parents of j. The slice belongs to g: read it only, and not
// after the next change of g.
func (g *Graph) Parents(j int) []int { return g.parents[j] }

// Children returns the sorted children of i. The slice belongs to g: read it only, and
// not after the next change of g.
func (g *Graph) Children(i int) []int { return g.children[i] }

// Edges returns all edges, sorted by From, then To. The caller owns the slice.
func (g *Graph) Edges() []Edge {
	edges := make([]Edge, 0, g.edges)
	for i, children := range g.children {
		for _, j := range children {
			edges = append(edges, Edge{i, j})
		}
	}
	return edges
}

// Clone returns a copy that shares nothing with g.
func (g *Graph) Clone() *Graph {
	c := New(g.N())
	c.edges = g.edges
	for v := range g.parents {
		c.parents[v] = slices.Clone(g.parents[v])
		c.children[v] = slices.Clone(g.children[v])
	}
	return c
}

// Equal reports whether g and h have the same number of nodes and the same edges.
func (g *Graph) Equal(h *Graph) bool {
	if g.N() != h.N() || g.edges != h.edges {
		return false
	}
	for v := range g.children {
		if !slices.Equal(g.children[v], h.children[v]) {
			return false
		}
	}
	return true
}
