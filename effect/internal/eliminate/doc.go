// Package eliminate computes probabilities in discrete Bayesian networks under interventions, exactly by
// variable elimination or, if that needs too much memory, by sampling.
//
//	m := eliminate.NewModel(g, rows, seed)
//	n, target := m.Given(a, b, code, nil) // intervention on a
//	p, exact, standardError, err := n.Query(target)
//
// A plan (plan.go) orders the eliminations and places all intermediate tables in memory (room.go) before any
// number is computed; walk.go has the loops. A Pass finds the distributions of many columns at the cost of two
// or three eliminations.
package eliminate
