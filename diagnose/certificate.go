// Package diagnose says whether an answer can be trusted.
//
//	cert := diagnose.Certify(graph, names)
//	if !cert.DAG { fmt.Println("cycle:", cert.Cycle) }
package diagnose

import (
	"errors"

	"github.com/polydag/polydag/dag"
)

// Certificate is the receipt of a graph: if it is a DAG, a topological order that anyone can check
// in one pass over the edges; if not, a cycle in it.
type Certificate struct {
	DAG   bool     `json:"dag"`
	Order []string `json:"order,omitempty"` // every edge goes from left to right; set iff DAG
	Cycle []string `json:"cycle,omitempty"` // each drives the next, the last the first; set iff not DAG

	// CyclicComponents is the number of strongly connected components with a cycle.
	CyclicComponents int `json:"cyclic_components"`

	// HFinal is |h(W)| before thresholding: how nearly the solver met its constraint. It is no proof of
	// anything: only Order is.
	HFinal float64 `json:"h_final"`
	// HThreshold is h of W with the dropped edges set to zero, by the constraint that the solver
	// used. With K below the number of columns it can be 0 on a graph that has a long cycle. It is
	// absent where it overflows.
	HThreshold *float64 `json:"h_threshold,omitempty"`
}

// Certify looks for a topological order of g, and for a cycle where there is none.
func Certify(g *dag.Graph, names []string) Certificate {
	c := Certificate{CyclicComponents: len(g.CyclicComponents())}
	order, err := g.Order()
	var cycle *dag.CycleError
	if errors.As(err, &cycle) {
		c.Cycle = pick(names, cycle.Cycle)
		return c
	}
	c.DAG, c.Order = true, pick(names, order)
	return c
}

func pick(names []string, index []int) []string {
	out := make([]string, len(index))
	for i, v := range index {
		out[i] = names[v]
	}
	return out
}
