// Package graph has directed and mixed graphs with their algorithms: topological orders and cycles, thresholds, feedback arc sets,
// Markov equivalence (CPDAG, PAG), d-separation and paths.
//
//	g, err := graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}})
//	order, err := g.Order() // [0 1 2], or a *graph.CycleError that names a cycle
//	class, err := graph.CPDAG(g) // 0 — 1 — 2: independences identify no direction
//
// Nodes are 0..n-1 and an edge (i, j) is i → j. A Graph may have cycles and self-loops; functions that need a DAG say so and return
// a *CycleError otherwise. An index outside 0..n-1 panics, except in FromEdges, which returns an error.
//
// Experimental: the API of this package may change before 1.0.
package graph
