// Package kit checks that an implementation of an interface keeps its contract. Each function reports every failed check, each
// as an error that begins with the name of the check:
//
//	if err := kit.Method(func() method.Method { return mine.New() }, 1); err != nil { t.Error(err) }
//
// There is one function for each interface that other modules can implement: Constraint and Score for functions of a weighted
// adjacency matrix, Penalty for sparsity penalties, Solver for a schedule with a descent, Independence for independence tests,
// LocalScore for scores of one node, and Method for methods. The tests of the program run them on every
// implementation, and on broken implementations that each check must reject.
//
// Experimental: the API of this package may change before 1.0.
package kit
