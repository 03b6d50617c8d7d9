package graph

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Mark is the mark at one end of an edge.
type Mark uint8

const (
	Tail   Mark = iota + 1 // this end is a cause of the other, or the edge is undirected
	Arrow                  // this end is not a cause of the other
	Circle                 // unknown
)

// Kind is the type of a mixed graph.
type Kind string

const (
	KindDAG     Kind = "dag"     // every edge i → j, no cycle
	KindCPDAG   Kind = "cpdag"   // i → j and i — j: a Markov equivalence class of DAGs
	KindPDAG    Kind = "pdag"    // i → j and i — j without a directed cycle, but not necessarily an equivalence class
	KindPAG     Kind = "pag"     // all marks: an equivalence class of graphs with possible hidden confounders
	KindAverage Kind = "average" // averaged graph; may contain cycles
)

// Kinds lists every kind.
func Kinds() []Kind { return []Kind{KindDAG, KindCPDAG, KindPDAG, KindPAG, KindAverage} }

// A MarkedEdge joins two nodes with a mark at each end. Mixed returns edges read from left to right: i → j, i ∘→ j, i ∘— j. An edge
// with equal marks has From < To.
type MarkedEdge struct {
	Edge
	AtFrom, AtTo Mark
}

// Directed reports whether the edge is From → To.
func (e MarkedEdge) Directed() bool { return e.AtFrom == Tail && e.AtTo == Arrow }

// Symbol returns the marks in the notation of other programs: -->, ---, <->, o->, o-- or o-o.
func (e MarkedEdge) Symbol() string {
	left := map[Mark]string{Tail: "-", Arrow: "<", Circle: "o"}
	right := map[Mark]string{Tail: "-", Arrow: ">", Circle: "o"}
	return left[e.AtFrom] + "-" + right[e.AtTo]
}

// ParseSymbol parses the output of Symbol and its mirror images.
func ParseSymbol(s string) (atFrom, atTo Mark, err error) {
	left := map[byte]Mark{'-': Tail, '<': Arrow, 'o': Circle}
	right := map[byte]Mark{'-': Tail, '>': Arrow, 'o': Circle}
	if len(s) == 3 && s[1] == '-' && left[s[0]] != 0 && right[s[2]] != 0 {
		return left[s[0]], right[s[2]], nil
	}
	return 0, 0, fmt.Errorf("%q is no edge; want -->, ---, <->, o->, o-- or o-o", s)
}

// Words describes in words what an edge with these marks means; the first %s is From and the second To.
func Words(symbol string) string {
	return map[string]string{
		"-->": "the first is a cause of the second",
		"---": "undirected: graphs of the equivalence class have either direction",
		"<->": "neither causes the other: they have a hidden common cause",
		"o->": "the second does not cause the first; the first may cause it, or they have a hidden common cause",
		"o--": "the second causes the first; the mark at the first is not determined",
		"o-o": "either may cause the other, or they have a hidden common cause",
	}[symbol]
}

// Symbols lists the possible results of Symbol.
func Symbols() []string { return []string{"-->", "---", "<->", "o->", "o--", "o-o"} }

// canonical reverses an edge whose normal form starts at the other end.
func (e MarkedEdge) canonical() MarkedEdge {
	rank := map[Mark]int{Tail: 0, Circle: 1, Arrow: 2}
	a, b := rank[e.AtFrom], rank[e.AtTo]
	if e.AtFrom == Tail && e.AtTo == Circle || e.AtFrom == Circle && e.AtTo == Tail {
		a, b = b, a // o-- starts at the circle
	}
	if a > b || a == b && e.From > e.To {
		return MarkedEdge{Edge{From: e.To, To: e.From}, e.AtTo, e.AtFrom}
	}
	return e
}

// Mixed is a graph on nodes 0..n-1 with a mark at each end of an edge and at most one edge per pair. Kind is its declared type;
// Check verifies it.
type Mixed struct {
	kind  Kind
	n     int
	edges map[Edge][2]Mark // by From < To, the mark at From first
}

// NewMixed returns a graph on n nodes without edges.
func NewMixed(kind Kind, n int) *Mixed { return &Mixed{kind: kind, n: n, edges: map[Edge][2]Mark{}} }

// Mixed returns g as a mixed graph of kind DAG.
func (g *Graph) Mixed() *Mixed {
	m := NewMixed(KindDAG, g.N())
	for _, e := range g.Edges() {
		m.Set(MarkedEdge{Edge{From: e.From, To: e.To}, Tail, Arrow})
	}
	return m
}

// Mixed returns p as a mixed graph of kind CPDAG.
func (p *PDAG) Mixed() *Mixed {
	m := NewMixed(KindCPDAG, p.N())
	for _, e := range p.DirectedEdges() {
		m.Set(MarkedEdge{Edge{From: e.From, To: e.To}, Tail, Arrow})
	}
	for _, e := range p.UndirectedEdges() {
		m.Set(MarkedEdge{Edge{From: e.From, To: e.To}, Tail, Tail})
	}
	return m
}

// Kind returns the declared type of the graph.
func (m *Mixed) Kind() Kind { return m.kind }

// As returns a copy with another declared type.
func (m *Mixed) As(kind Kind) *Mixed {
	out := NewMixed(kind, m.n)
	maps.Copy(out.edges, m.edges)
	return out
}

// N returns the number of nodes.
func (m *Mixed) N() int { return m.n }

// NumEdges returns the number of edges.
func (m *Mixed) NumEdges() int { return len(m.edges) }

// Set sets the edge of a pair and replaces an existing one. It panics on a self-loop, an unknown node or an invalid mark.
func (m *Mixed) Set(e MarkedEdge) {
	if e.From == e.To || min(e.From, e.To) < 0 || max(e.From, e.To) >= m.n || min(e.AtFrom, e.AtTo) < Tail || max(e.AtFrom, e.AtTo) > Circle {
		panic(fmt.Sprintf("graph: %v is no edge of a graph with %d nodes", e, m.n))
	}
	if e.From > e.To {
		e = MarkedEdge{Edge{From: e.To, To: e.From}, e.AtTo, e.AtFrom}
	}
	m.edges[Edge{e.From, e.To}] = [2]Mark{e.AtFrom, e.AtTo}
}

// Remove removes the edge of the pair, if any.
func (m *Mixed) Remove(i, j int) { delete(m.edges, Edge{min(i, j), max(i, j)}) }

// Between returns the edge of a pair, read from i to j.
func (m *Mixed) Between(i, j int) (MarkedEdge, bool) {
	marks, ok := m.edges[Edge{min(i, j), max(i, j)}]
	if i < j {
		return MarkedEdge{Edge{From: i, To: j}, marks[0], marks[1]}, ok
	}
	return MarkedEdge{Edge{From: i, To: j}, marks[1], marks[0]}, ok
}

// Edges returns the edges, by From and To. The caller owns the slice.
func (m *Mixed) Edges() []MarkedEdge {
	out := make([]MarkedEdge, 0, len(m.edges))
	for e, marks := range m.edges {
		out = append(out, MarkedEdge{Edge{From: e.From, To: e.To}, marks[0], marks[1]}.canonical())
	}
	slices.SortFunc(out, func(a, b MarkedEdge) int { return a.Compare(b.Edge) })
	return out
}

// Relabel returns the graph in which node i is renamed to to[i].
func (m *Mixed) Relabel(to []int) *Mixed {
	out := NewMixed(m.kind, m.n)
	for _, e := range m.Edges() {
		e.From, e.To = to[e.From], to[e.To]
		out.Set(e)
	}
	return out
}

// Directed returns the graph of the edges i → j only.
func (m *Mixed) Directed() *Graph {
	g := New(m.n)
	for _, e := range m.Edges() {
		if e.Directed() {
			g.AddEdge(e.From, e.To)
		}
	}
	return g
}

// ErrKind is matched by the errors of Check that are not a *CycleError.
var ErrKind = errors.New("the graph is not of the kind that it claims to be")

// Check returns an error if the graph does not have its declared type. A DAG has only i → j and no cycle. A CPDAG represents a set
// of equivalent DAGs. A PDAG has i → j without a cycle, and i — j. In a PAG no edge points at an ancestor of its tail; PAG.Legal
// checks more. KindAverage has no restrictions.
func (m *Mixed) Check() error {
	switch m.kind {
	case KindDAG:
		if err := m.only(Tail, Arrow); err != nil {
			return err
		}
		_, err := m.Directed().Order()
		return err
	case KindCPDAG:
		return m.checkClass()
	case KindPDAG:
		if _, err := m.PDAG(); err != nil {
			return err
		}
		_, err := m.Directed().Order()
		return err
	case KindPAG:
		_, err := m.Directed().Order()
		if err == nil {
			err = m.checkAncestral()
		}
		return err
	case KindAverage:
		return nil
	}
	return fmt.Errorf("%w: there is no kind %q", ErrKind, m.kind)
}

// only returns an error for an edge with other marks.
func (m *Mixed) only(atFrom, atTo Mark) error {
	for _, e := range m.Edges() {
		if e.AtFrom != atFrom || e.AtTo != atTo {
			return fmt.Errorf("%w: a %s has no edge %d %s %d", ErrKind, m.kind, e.From, e.Symbol(), e.To)
		}
	}
	return nil
}

// checkClass returns an error if no set of equivalent DAGs has this graph in common: an edge has other marks, no DAG agrees with
// the graph, or the direction of an undirected edge follows from the others. Prior knowledge may have directed edges beyond the
// Markov equivalence class.
func (m *Mixed) checkClass() error {
	p, err := m.PDAG()
	if err != nil {
		return err
	}
	if _, err := p.Extension(); err != nil {
		return fmt.Errorf("%w: %w", ErrKind, err)
	}
	closed := p.Clone()
	closed.Close()
	if !closed.Equal(p) {
		return fmt.Errorf("%w: an edge has no direction although the others imply one", ErrKind)
	}
	return nil
}

// PDAG returns a graph of edges i → j and i — j as a PDAG; with other edges the error matches ErrKind.
func (m *Mixed) PDAG() (*PDAG, error) {
	p := NewPDAG(m.n)
	for _, e := range m.Edges() {
		switch {
		case e.Directed():
			p.SetDirected(e.From, e.To)
		case e.AtFrom == Tail && e.AtTo == Tail:
			p.SetUndirected(e.From, e.To)
		default:
			return nil, fmt.Errorf("%w: a %s has no edge %d %s %d", ErrKind, m.kind, e.From, e.Symbol(), e.To)
		}
	}
	return p, nil
}

// checkAncestral returns an error for an arrowhead at an ancestor of the node at the other end.
func (m *Mixed) checkAncestral() error {
	directed := m.Directed()
	for _, e := range m.Edges() {
		if e.AtTo == Arrow && directed.HasPath(e.To, e.From) || e.AtFrom == Arrow && directed.HasPath(e.From, e.To) {
			return fmt.Errorf("%w: the arrowhead of %d %s %d says that it is no ancestor, a directed path that it is one", ErrKind, e.From, e.Symbol(), e.To)
		}
	}
	return nil
}
