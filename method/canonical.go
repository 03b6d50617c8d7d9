package method

import (
	"cmp"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// Canonical returns a column order that depends on the data and not on the position of the columns, so that a method gives the same
// answer for any column order. Columns are sorted by Σ_j r_ij², which does not depend on names, units or signs, and ties, such as
// copies, by name. It costs O(d²) and needs no matrix.
func Canonical(m *dataset.Moments) []int {
	d := m.Dim()
	// Sum integers, in multiples of 2⁻⁴⁰, because their sum does not depend on the order.
	sum := make([]int64, d)
	root := make([]float64, d)
	for j := range root {
		root[j] = math.Sqrt(m.At(j, j))
	}
	for i := range sum {
		if g := m.Gram(); g != nil {
			sum[i] = g.Squares(i)
			continue
		}
		for j, s := range m.Scatter[i*d : (i+1)*d] {
			if scale := root[i] * root[j]; scale > 0 && j != i {
				r := min(1, math.Abs(s)/scale)
				sum[i] += int64(r * r * (1 << 40))
			}
		}
	}
	order := make([]int, d)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(sum[b], sum[a]), cmp.Compare(m.Names[a], m.Names[b]))
	})
	return order
}

// Relabel renumbers the columns of the answer: column i becomes column order[i].
func (a *Answer) Relabel(order []int) {
	directed := func(g *graph.Graph) *graph.Graph {
		if g == nil {
			return nil
		}
		out := graph.New(g.N())
		for _, e := range g.Edges() {
			out.AddEdge(order[e.From], order[e.To])
		}
		return out
	}
	a.Graph = a.Graph.Relabel(order)
	for i := range a.Stages {
		a.Stages[i].Graph = directed(a.Stages[i].Graph)
	}
	for i := range a.Edges {
		e := &a.Edges[i]
		e.From, e.To = order[e.From], order[e.To]
	}
	a.Nodes, a.Categories = permuted(a.Nodes, order), permuted(a.Categories, order)
	a.Scales, a.Straight = permuted(a.Scales, order), permuted(a.Straight, order)
	a.Additive = permuted(a.Additive, order)
	for i := range a.Changes {
		a.Changes[i].Column = order[a.Changes[i].Column]
	}
	if p := a.Posterior; p != nil {
		for _, edges := range p.Graphs {
			for i, e := range edges {
				edges[i] = graph.Edge{From: order[e.From], To: order[e.To]}
			}
		}
	}
	if c := a.Continuous; c != nil {
		w := matrix.New[float64](c.W.Rows, c.W.Cols)
		for i, p := range order {
			for j, q := range order {
				w.Set(p, q, c.W.At(i, j))
			}
		}
		c.W, c.Thresholded = w, directed(c.Thresholded)
		for i, e := range c.Cut {
			c.Cut[i] = graph.Edge{From: order[e.From], To: order[e.To]}
		}
	}
}

// permuted returns the values with value i in place order[i]; nil for nil.
func permuted[T any](values []T, order []int) []T {
	if values == nil {
		return nil
	}
	out := make([]T, len(values))
	for i, v := range order {
		out[v] = values[i]
	}
	return out
}
