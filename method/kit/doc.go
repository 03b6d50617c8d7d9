// Package kit checks that an implementation of an interface keeps its contract. Each function reports every failed check, each
// as an error that begins with the name of the check:
//
//	if err := kit.Score(mine, 5, 1); err != nil { t.Error(err) }
//
// There is one function for each part that other modules can implement: Constraint and Score for functions of a weighted
// adjacency matrix, Penalty for sparsity penalties, Solver for a schedule with a descent, Independence for independence tests and
// LocalScore for scores of one node. Package method/methodtest checks whole methods. The tests of this module run both on every
// implementation, and on broken implementations that each check must reject.
//
// Experimental: the API of this package may change before 1.0.
package kit
