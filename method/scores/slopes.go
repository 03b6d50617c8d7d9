package scores

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/method"
)

// slopes adds the weights of the edges. Between numeric columns a weight is the change of the child per unit of the parent with all
// other parents fixed, by least squares on the parents and on the indicators of levels. It is 0 for an edge from or to levels, and
// for a parent that other parents determine. Under a flexible model the weight of a nonlinear effect is the mean change.
func (t *ScoredTable) slopes(edges []method.EdgeRecord, g *graph.Graph) {
	weights := make(map[graph.Edge]float64)
	var regression chol.Regression
	for v := range g.N() {
		if t.Model == Discrete {
			break
		}
		b := t.Blocks[t.group[v]]
		if b == nil || b.Levels[v] {
			continue
		}
		if t.Model == Flexible {
			f := t.fitted(b, v, g.Parents(v))
			for _, p := range g.Parents(v) {
				if !b.Levels[p] {
					weights[graph.Edge{From: p, To: v}] = f.slope(p)
				}
			}
			continue
		}
		var functions, parent []int // parent is -1 for levels
		for _, p := range g.Parents(v) {
			if !b.Levels[p] {
				functions, parent = append(functions, b.Start[p]), append(parent, p)
				continue
			}
			for f := b.Start[p]; f < b.Start[p+1]; f++ {
				functions, parent = append(functions, f), append(parent, -1)
			}
		}
		chol.Regress(&regression, b.Gram.Data, b.Gram.Stride, b.Start[v], functions)
		beta := regression.Coefficients()
		for i, p := range parent {
			if p >= 0 {
				weights[graph.Edge{From: p, To: v}] = Finite(beta[i])
			}
		}
	}
	for i := range edges {
		edges[i].Weight = new(weights[edges[i].Edge])
	}
}
