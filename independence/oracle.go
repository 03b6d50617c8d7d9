package independence

import (
	"slices"

	"github.com/polydag/polydag/graph"
)

// Oracle tests by d-separation in a known DAG: P is 1 if x and y are d-separated given the set, and 0 otherwise. It shows what a
// method does without test errors.
type Oracle struct {
	Graph *graph.Graph
	// Observed are the nodes that the columns represent, column k for Observed[k]; nil means all. Other nodes are hidden, except
	// those in Selected, which are conditioned on in every test (selection bias).
	Observed, Selected []int
}

// Columns returns the number of observed nodes.
func (o Oracle) Columns() int {
	if o.Observed == nil {
		return o.Graph.N()
	}
	return len(o.Observed)
}

func (o Oracle) Independent(x, y int, given []int) (Result, error) {
	var buf []int
	x, y, set, err := arguments(o.Columns(), x, y, given, &buf)
	if err != nil {
		return Result{}, err
	}
	if o.Observed != nil {
		x, y = o.Observed[x], o.Observed[y]
		for i, v := range set {
			set[i] = o.Observed[v]
		}
	}
	if o.Graph.DSeparated([]int{x}, []int{y}, slices.Concat(set, o.Selected)) {
		return Result{P: 1}, nil
	}
	return Result{Statistic: 1}, nil
}
