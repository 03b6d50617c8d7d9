// Package explain explains the relation of two variables in a learned graph: paths, confounders, mediators and adjustment sets.
//
//	m, err := explain.NewModel(names, edges)
//	e, err := m.Between("guests_today", "ice_cream_scoops", explain.DefaultSettings())
//	err = e.WriteText(os.Stdout)
//
// All statements assume that the graph is true. The definitions are those of Pearl (2009), "Causality", sections 1.2 (d-separation)
// and 3.3 (back-door). An explanation lists the edges with unidentified direction that it depends on. The weight of an edge i → j
// is the change of j per unit of i with its other parents fixed.
//
// Experimental: the API of this package may change before 1.0.
package explain
