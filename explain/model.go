package explain

import (
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
	match "github.com/polydag/polydag/internal/names"
)

// An Edge is an edge of a learned graph.
type Edge struct {
	graph.Link
	// Weight is the change of To per unit of From with the other parents of To fixed.
	Weight float64
	// Undirected reports that the direction is not stated: the edge may be reversed.
	Undirected bool
	// Says describes a nonlinear effect in sentences.
	Says []string
	// Lag is the number of time steps from From to To. NewModel ignores it.
	Lag int
}

// A Model is a DAG with named nodes and weighted edges. It does not change after NewModel, and several goroutines may use it.
type Model struct {
	names      []string
	index      map[string]int
	graph      *graph.Graph
	order      []int // topological
	weight     map[graph.Edge]float64
	says       map[graph.Edge][]string
	undirected map[graph.Edge]bool
}

// NewModel copies names and edges. The error is a *graph.CycleError with names if the edges close a cycle.
func NewModel(names []string, edges []Edge) (*Model, error) {
	m := &Model{
		names: slices.Clone(names), index: match.Index(names), graph: graph.New(len(names)),
		weight: make(map[graph.Edge]float64, len(edges)), says: make(map[graph.Edge][]string), undirected: make(map[graph.Edge]bool),
	}
	for i, name := range names {
		if m.index[name] != i {
			return nil, fmt.Errorf("the name %q is there twice", name)
		}
	}
	for _, e := range edges {
		i, okFrom := m.index[e.From]
		j, okTo := m.index[e.To]
		if !okFrom || !okTo {
			return nil, fmt.Errorf("the edge %s → %s is between names that are not listed", e.From, e.To)
		}
		if !m.graph.AddEdge(i, j) {
			return nil, fmt.Errorf("the edge %s → %s is there twice", e.From, e.To)
		}
		m.weight[graph.Edge{From: i, To: j}] = e.Weight
		if len(e.Says) > 0 {
			m.says[graph.Edge{From: i, To: j}] = slices.Clone(e.Says)
		}
		if e.Undirected {
			m.undirected[graph.Edge{From: i, To: j}] = true
		}
	}
	var err error
	if m.order, err = m.graph.Order(); err != nil {
		var cycle *graph.CycleError
		if errors.As(err, &cycle) {
			err = cycle.WithNames(m.names)
		}
		return nil, fmt.Errorf("the graph is not a DAG: %w", err)
	}
	return m, nil
}

// ErrName is matched by the error for an unknown name or for two equal names.
var ErrName = errors.New("bad name")

func (m *Model) node(name string) (int, error) {
	if i, ok := m.index[name]; ok {
		return i, nil
	}
	return 0, fmt.Errorf("%w: the graph has no %q; it has %s", ErrName, name, match.List(m.names, 30))
}

// named returns the names of nodes, in column order.
func (m *Model) named(nodes []int) []string {
	nodes = slices.Clone(nodes)
	slices.Sort(nodes)
	out := make([]string, len(nodes))
	for k, v := range nodes {
		out[k] = m.names[v]
	}
	return out
}
