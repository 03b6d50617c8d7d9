package graph

import "slices"

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
