package describe

import (
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
)

// classes has the reasons for the directions of the edges.
type classes struct {
	// compelled reports whether an edge has the same direction in every graph of the equivalence class that prior knowledge allows,
	// known whether prior knowledge alone decides it, and derived whether it does so only together with other edges of the class.
	compelled, known, derived func(graph.Edge) bool
}

// compelled returns the reasons for the directions. If the graph represents an equivalence class, all its directed edges are
// compelled.
func (a *Answer) compelled() (_ *classes, err error) {
	if a.classes == nil {
		a.classes, err = a.findCompelled()
	}
	return a.classes, err
}

func (a *Answer) findCompelled() (*classes, error) {
	never := func(graph.Edge) bool { return false }
	kind := a.Graph.Kind()
	if kind != graph.KindDAG {
		return &classes{func(graph.Edge) bool { return kind != graph.KindAverage && kind != graph.KindPDAG }, never, never}, nil
	}
	class, err := graph.CPDAG(a.Directed)
	if err != nil {
		return nil, err
	}
	by := class
	if a.Environments != nil {
		// A environment that changes only one end of an edge identifies the direction, like an intervention.
		if by, err = graph.InterventionalCPDAG(a.Directed, a.Environments.Targets); err != nil {
			return nil, err
		}
	}
	data := func(class, by *graph.PDAG, e graph.Edge) bool {
		// An intervention may have too few rows to decide a direction.
		return class.HasDirected(e.From, e.To) || by.HasDirected(e.From, e.To) && a.records[e].Direction != method.DirectionOpen
	}
	if !a.Informed {
		return &classes{func(e graph.Edge) bool { return data(class, by, e) }, never, never}, nil
	}
	knownClass, err := a.Known.Orient(class)
	if err != nil {
		return nil, err
	}
	knownBy, err := a.Known.Orient(by)
	if err != nil {
		return nil, err
	}
	given := graph.New(a.Directed.N()) // the edges whose reverse is forbidden, such as required ones
	for _, e := range a.Directed.Edges() {
		if a.Known.Forbidden(e.To, e.From) {
			given.AddEdge(e.From, e.To)
		}
	}
	out := &classes{
		compelled: func(e graph.Edge) bool { return data(knownClass, knownBy, e) },
		// The reverse of the edge would close a cycle of given edges.
		known: func(e graph.Edge) bool { return given.HasPath(e.From, e.To) },
	}
	out.derived = func(e graph.Edge) bool { return out.compelled(e) && !data(class, by, e) && !out.known(e) }
	return out, nil
}

// extension returns a DAG with the adjacencies of the graph. It is a member of its equivalence class if the graph represents one.
// Otherwise its edges point along the canonical order. The DAG does not depend on the order of the columns in the table.
func (a *Answer) extension() *graph.Graph {
	m := a.Graph.Relabel(a.Place)
	if p, err := m.PDAG(); err == nil {
		if g, err := p.Extension(); err == nil {
			return g.Mixed().Relabel(a.Order).Directed()
		}
	}
	g := graph.New(m.N())
	for _, e := range m.Edges() {
		g.AddEdge(min(e.From, e.To), max(e.From, e.To))
	}
	return g.Mixed().Relabel(a.Order).Directed()
}

// open returns the edges of a DAG whose direction the equivalence class leaves open. compelled says it of each edge of m.
func open(m *graph.Mixed, compelled func(k int) bool) *graph.PDAG {
	open := graph.NewPDAG(m.N())
	for k, e := range m.Edges() {
		if m.Kind() == graph.KindDAG && !compelled(k) {
			open.SetUndirected(e.From, e.To)
		}
	}
	return open
}

// Shares returns, for each edge of m, the share of the DAGs in the equivalence class that have its direction, or 0.5 if unknown.
func Shares(m *graph.Mixed, compelled func(k int) bool) []float64 {
	edges := m.Edges()
	shares := open(m, compelled).Shares()
	out := make([]float64, len(edges))
	for k, e := range edges {
		out[k] = 0.5
		if s, ok := shares[e.Edge]; ok {
			out[k] = s
		}
	}
	return out
}

// priorDirections returns the prior log odds of the direction of an edge, or nil without priors. If the class leaves it open, they
// include the priors of the other open edges of the class.
func (a *Answer) priorDirections(compelled func(k int) bool) func(e graph.Edge, compelled bool) float64 {
	if !a.Known.HasPriors() {
		return nil
	}
	lean := open(a.Graph, compelled).DirectionShares(a.Known.LogOdds)
	return func(e graph.Edge, compelled bool) float64 {
		p, ok := lean[e]
		if compelled || !ok {
			return a.Known.DirectionLogOdds(e.From, e.To)
		}
		const least = 1e-6
		p = min(max(p, least), 1-least)
		return math.Log(p / (1 - p))
	}
}
