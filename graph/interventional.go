package graph

import "slices"

// InterventionalCPDAG returns the interventional essential graph of a DAG: the one graph that stands for all DAGs which
// neither observation nor experiments that set the given targets tell apart from g. An edge is directed in it exactly if all
// of them have it in that direction. Each target set lists its nodes, ascending; an empty one is observation. The error
// is a *CycleError if g is not a DAG.
//
// Two DAGs of a Markov equivalence class are told apart by an experiment exactly where it sets one end of an edge and
// not the other, and they differ on that edge (Hauser and Bühlmann 2012, "Characterization and greedy learning of interventional
// Markov equivalence classes of directed acyclic graphs", Theorem 10). So the class consists of the DAGs of the CPDAG that have these
// edges as g does, and the rules of Meek find what follows from them. Observation is taken to be among the experiments, or each
// node to be free in one of them.
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

// separates reports whether an ascending set has exactly one end of the edge.
func separates(set []int, e Edge) bool {
	_, from := slices.BinarySearch(set, e.From)
	_, to := slices.BinarySearch(set, e.To)
	return from != to
}
