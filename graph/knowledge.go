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

// InterventionalCPDAG returns the interventional essential graph of a DAG, which represents all DAGs that observation and
// interventions on the given targets cannot distinguish from g. An edge is directed exactly if all of them have it in that
// direction. Each target set lists its nodes in ascending order; an empty set is observation. The error is a *CycleError if g is
// not a DAG.
//
// An intervention distinguishes two DAGs of a Markov equivalence class exactly if it targets one end of an edge on which they
// differ and not the other (Hauser and Bühlmann 2012, "Characterization and greedy learning of interventional Markov equivalence
// classes of directed acyclic graphs", Theorem 10). So the class consists of the DAGs of the CPDAG that agree with g on these
// edges, and Meek's rules give the remaining directions. It assumes that the data include observation, or that each node is not a
// target in at least one of the sets.
func InterventionalCPDAG(g *Graph, targets [][]int) (*PDAG, error) {
	class, err := CPDAG(g)
	if err != nil {
		return nil, err
	}
	var known []Edge
	for _, e := range g.Edges() {
		if slices.ContainsFunc(targets, func(set []int) bool { return separates(set, e) }) {
			known = append(known, e)
		}
	}
	if len(known) == 0 {
		return class, nil
	}
	return class.WithKnowledge(known)
}

// separates reports whether an ascending set contains exactly one end of the edge.
func separates(set []int, e Edge) bool {
	_, from := slices.BinarySearch(set, e.From)
	_, to := slices.BinarySearch(set, e.To)
	return from != to
}
