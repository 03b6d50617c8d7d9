package graph

import (
	"fmt"
	"slices"
)

// WithKnowledge returns the PDAG of the DAGs of p that have all the known edges: an edge is directed exactly if they all agree on
// it. p is a CPDAG or an earlier result of WithKnowledge and is not changed. If no DAG of p has all the known edges, the error
// matches ErrNoExtension and names the edge if a single one is the cause.
func (p *PDAG) WithKnowledge(known []Edge) (*PDAG, error) {
	member, err := p.Extension()
	if err != nil {
		return nil, err
	}
	q := p.Clone()
	for _, e := range known {
		switch {
		case e.From == e.To || !p.Adjacent(e.From, e.To):
			return nil, fmt.Errorf("known edge %d → %d: the class has no edge there: %w", e.From, e.To, ErrNoExtension)
		case q.HasDirected(e.To, e.From):
			return nil, fmt.Errorf("known edge %d → %d: the class or another known edge has %d → %d: %w",
				e.From, e.To, e.To, e.From, ErrNoExtension)
		}
		q.SetDirected(e.From, e.To)
	}
	q.Close()
	// Edges that contradict each other lead to a cycle or to a v-structure that the class does not have. Extension detects the
	// cycle but accepts a new v-structure.
	g, err := q.Extension()
	if err != nil || !slices.Equal(g.VStructures(), member.VStructures()) {
		return nil, fmt.Errorf("the %d known edges contradict each other: %w", len(known), ErrNoExtension)
	}
	return q, nil
}
