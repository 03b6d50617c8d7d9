// Package explain reads a learned graph for a person: how one variable can reach another, what confounds the two, and what to
// adjust for.
//
//	m, err := explain.NewModel(names, edges)
//	e, err := m.Between("Heavy_Makeup", "Wearing_Lipstick", explain.DefaultOptions())
//	err = e.WriteText(os.Stdout)
//
// Everything is said of the graph at hand, as if it were true: the definitions are those of Pearl (2009), "Causality", sections
// 1.2 (d-separation) and 3.3 (back-door). Which statements rest on edges that the data could not orient is part of
// the answer. Edge i → j has a weight: the change of j for one unit of i, its other parents held.
//
// Experimental: the API of this package may change before 1.0.
package explain
