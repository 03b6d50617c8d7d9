// Package trust says whether an answer can be trusted.
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

// Certificate is the receipt of a graph for what it claims to be. Of a DAG it is a topological order, which anyone can check
// in one pass over the edges.
type Certificate struct {
	Kind graph.Kind `json:"kind"`
	// Holds says that the graph was checked and is of its kind; an average of graphs promises nothing.
	Holds bool `json:"holds"`
	// Order is that of a DAG, or of the directed edges of any other graph where they have no cycle: every one goes from left
	// to right.
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

// Verify checks a certificate against the directed edges by name, with no trust in whoever made it: every name stands once in
// Order and every edge goes forward in it.
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

func pick(names []string, index []int) []string {
	out := make([]string, len(index))
	for i, v := range index {
		out[i] = names[v]
	}
	return out
}
