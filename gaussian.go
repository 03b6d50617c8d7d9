package polydag

import (
	"fmt"
	"math"
)

// Intercepts returns the constant of each column's equation under the graph, in the order of Names and in units of the
// column:
//
//	intercept_v = mean_v − Σ_p weight(p → v)·mean_p
//
// so that every column's mean is what its equation predicts at the means of its parents. It needs Nodes.
func (r *Result) Intercepts() ([]float64, error) {
	if len(r.Nodes) != len(r.Names) {
		return nil, fmt.Errorf("polydag: the result has no means and variances of its columns (nodes); learn it again with this version")
	}
	index := make(map[string]int, len(r.Names))
	out := make([]float64, len(r.Names))
	for v, name := range r.Names {
		index[name] = v
		out[v] = r.Nodes[v].Mean
	}
	for _, e := range r.Edges {
		p, okFrom := index[e.From]
		v, okTo := index[e.To]
		if !okFrom || !okTo {
			return nil, fmt.Errorf("polydag: the edge %s → %s is between names that the result does not list", e.From, e.To)
		}
		out[v] -= e.Weight * r.Nodes[p].Mean
	}
	for v, c := range out {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return nil, fmt.Errorf("polydag: the intercept of %s is beyond float64; scale its column, or those of its parents, to other units", r.Names[v])
		}
	}
	return out, nil
}
