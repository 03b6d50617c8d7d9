// Package trust checks data and assumptions, certifies graphs, and derives the verdict on each edge.
//
//	cert := trust.Certify(graph, names)
//	if cert.Holds { fmt.Println("every edge goes forward in", cert.Order) }
//
// Experimental: the API of this package may change before 1.0.
package trust

import (
	"fmt"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
)

// Certificate shows that a graph is of its kind. For a DAG it is a topological order, which can be verified in one pass over the
// edges.
type Certificate struct {
	Kind graph.Kind `json:"kind"`
	// Holds reports that the graph was checked and is of its kind. It is false for an averaged graph, which may contain cycles.
	Holds bool `json:"holds"`
	// Order is a topological order of a DAG, or of the directed edges of another graph if these are acyclic.
	Order []string `json:"order,omitempty"`
}

// Certify checks that g is of its kind.
func Certify(g *graph.Mixed, names []string) Certificate {
	c := Certificate{Kind: g.Kind(), Holds: g.Check() == nil}
	if c.Holds && c.Kind == graph.KindPAG {
		c.Holds = graph.PAGOf(g).Legal() == nil
	}
	if order, err := g.Directed().Order(); err == nil {
		c.Order = pick(names, order)
	}
	return c
}

// Verify checks a certificate against the names of the nodes and the directed edges: each name must occur once in Order, and each
// edge must go forward in it.
func (c Certificate) Verify(nodes []string, edges []graph.Link) error {
	at := names.Index(c.Order)
	for i, n := range c.Order {
		if at[n] != i {
			return fmt.Errorf("the order has %s twice", n)
		}
	}
	for _, n := range nodes {
		if _, ok := at[n]; !ok {
			return fmt.Errorf("the order lacks %s", n)
		}
	}
	if len(at) != len(nodes) {
		return fmt.Errorf("the order has %d names, the graph %d", len(at), len(nodes))
	}
	for _, e := range edges {
		i, okFrom := at[e.From]
		j, okTo := at[e.To]
		if !okFrom || !okTo || i >= j {
			return fmt.Errorf("the edge %s → %s does not go forward in the order", e.From, e.To)
		}
	}
	return nil
}

// pick returns the elements with these indices.
func pick[T any](list []T, index []int) []T {
	out := make([]T, len(index))
	for i, v := range index {
		out[i] = list[v]
	}
	return out
}
