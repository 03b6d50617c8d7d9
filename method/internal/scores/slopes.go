package scores

import (
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
)

// slopes adds the weights of the edges. Between numbers a weight is the change of the child for one unit of the parent with all other
// parents fixed, by least squares on the parents themselves and on the indicators of levels. It is 0 for an edge from or to levels, and
// for a parent that other parents determine.
func (t *Table) slopes(edges []method.EdgeFacts, g *graph.Graph) {
	weights := make(map[graph.Edge]float64)
	for v := range g.N() {
		if t.Model == Discrete {
			break
		}
		b := t.Blocks[t.group[v]]
		if b == nil || b.Levels[v] {
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
		beta := leastSquares(b.Gram.At, functions, b.Start[v])
		for i, p := range parent {
			if p >= 0 {
				weights[graph.Edge{From: p, To: v}] = Finite(beta[i])
			}
		}
	}
	for i := range edges {
		edges[i].Weight = new(weights[edges[i].Edge()])
	}
}

// leastSquares regresses function y on functions x by their covariances. A function that those before it determine gets 0.
func leastSquares(cov func(i, j int) float64, x []int, y int) []float64 {
	k := len(x)
	l, z := make([]float64, k*k), make([]float64, k)
	for i := range k {
		for j := range i {
			sum := cov(x[i], x[j])
			for h := range j {
				sum -= l[i*k+h] * l[j*k+h]
			}
			if l[j*k+j] > 0 {
				l[i*k+j] = sum / l[j*k+j]
			}
		}
		pivot, t := cov(x[i], x[i]), cov(x[i], y)
		for h := range i {
			pivot -= l[i*k+h] * l[i*k+h]
			t -= l[i*k+h] * z[h]
		}
		if pivot > 1e-10*cov(x[i], x[i]) {
			l[i*k+i] = math.Sqrt(pivot)
			z[i] = t / l[i*k+i]
		}
	}
	for i := k - 1; i >= 0; i-- {
		if l[i*k+i] == 0 {
			continue
		}
		for h := i + 1; h < k; h++ {
			z[i] -= l[h*k+i] * z[h]
		}
		z[i] /= l[i*k+i]
	}
	return z
}
