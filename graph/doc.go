// Package graph holds directed graphs and what can be said about them: an order or a cycle
// as the witness, thresholds that leave a DAG, edges to cut, Markov equivalence and paths.
//
//	g, err := graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
//	order, err := g.Order() // [0 1 2], or a *graph.CycleError that names a cycle
//	class, err := graph.CPDAG(g) // 0 — 1 — 2: no direction can be read from independences
//
// Nodes are 0..n-1 and an edge (i, j) is i → j. A Graph may have cycles and self-loops;
// functions that need a DAG say so and return a *CycleError otherwise. An index outside
// 0..n-1 is a bug of the caller and panics, except in FromEdges, which takes edges from
// outside and returns an error.
//
// Experimental: the API of this package may change before 1.0.
package graph
