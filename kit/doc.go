// Package kit checks that an implementation of one of the program's hinges keeps its contract. Each function reports
// every law that is broken, not only the first, as one error that begins with the name of the law:
//
//	if err := kit.Constraint(&mine{}, 6, 1); err != nil { t.Error(err) }
//
// There is one for each interface that can be implemented elsewhere: Constraint and Score for functions of a weighted
// adjacency matrix, Penalty for what asks for sparsity, Solver for a schedule with a descent, Independence for tests of independence, Method for whole
// methods. What the program brings along is held to the same laws by its own tests, and for each law there is a
// broken implementation that the kit must catch.
//
// Experimental: the API of this package may change before 1.0.
package kit
