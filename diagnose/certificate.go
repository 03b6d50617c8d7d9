// Package diagnose says whether an answer can be trusted.
//
//	cert := diagnose.Certify(graph, names)
//	if !cert.DAG { fmt.Println("cycle:", cert.Cycle) }
package diagnose

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag/dag"
)

// Certificate is the receipt of a graph: if it is a DAG, a topological order that anyone can check
// in one pass over the edges; if not, a cycle in it.
type Certificate struct {
	DAG   bool     `json:"dag"`
	Order []string `json:"order,omitempty"` // every edge goes from left to right; set iff DAG

	// HFinal is |h(W)| before thresholding: how nearly a continuous solver met its constraint. It is no proof of
	// anything: only Order is.
	HFinal float64 `json:"h_final"`
	// HThreshold is h of W with the dropped edges set to zero, by the constraint that the solver
	// used. With K below the number of columns it can be 0 on a graph that has a long cycle. It is
	// absent where it overflows.
	HThreshold *float64 `json:"h_threshold,omitempty"`

	// What a threshold left, before anything was cut: CyclicComponents is the number of strongly connected
	// components with a cycle, and Cycle a cycle where there is one: each is a parent of the next, the last of the first.
	CyclicComponents int      `json:"cyclic_components"`
	Cycle            []string `json:"cycle,omitempty"`
	// Threshold is the value that weights were held against; absent where none was.
	Threshold *float64 `json:"threshold,omitempty"`
	// Cut lists the edges that were taken out to break the cycles, and CutCost what that added to the method's score.
	Cut     []CutEdge `json:"cut,omitempty"`
	CutCost *float64  `json:"cut_cost,omitempty"`
}

// CutEdge is an edge that was taken out, with its weight on the scale of the solver.
type CutEdge struct {
	From   string  `json:"from"`
	To     string  `json:"to"`
	Weight float64 `json:"weight"`
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

// Verify checks a certificate against edges by name, with no trust in whoever made it: every name stands once in
// Order and every edge goes forward in it.
func (c Certificate) Verify(names []string, edges [][2]string) error {
	at := make(map[string]int, len(c.Order))
	for i, n := range c.Order {
		if _, twice := at[n]; twice {
			return fmt.Errorf("diagnose: the order has %s twice", n)
		}
		at[n] = i
	}
	for _, n := range names {
		if _, ok := at[n]; !ok {
			return fmt.Errorf("diagnose: the order lacks %s", n)
		}
	}
	if len(at) != len(names) {
		return fmt.Errorf("diagnose: the order has %d names, the graph %d", len(at), len(names))
	}
	for _, e := range edges {
		i, okFrom := at[e[0]]
		j, okTo := at[e[1]]
		if !okFrom || !okTo || i >= j {
			return fmt.Errorf("diagnose: the edge %s → %s does not go forward in the order", e[0], e[1])
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
