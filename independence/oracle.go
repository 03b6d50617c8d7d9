package independence

import "github.com/polydag/polydag/graph"

// Oracle answers by d-separation in a known DAG: P is 1 where x and y are d-separated given the set, and 0 where they
// are not. With it a method shows what it does when no test errs.
type Oracle struct{ Graph *graph.Graph }

// Columns returns the number of nodes.
func (o Oracle) Columns() int { return o.Graph.N() }

// Independent reads the graph.
func (o Oracle) Independent(x, y int, given []int) (Result, error) {
	x, y, set, err := arguments(o.Graph.N(), x, y, given)
	if err != nil {
		return Result{}, err
	}
	if o.Graph.DSeparated([]int{x}, []int{y}, set) {
		return Result{P: 1}, nil
	}
	return Result{Statistic: 1}, nil
}
