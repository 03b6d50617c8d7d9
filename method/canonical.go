package method

import (
	"cmp"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// Canonical returns an order of the columns that depends on the data and not on where the columns stand: a method that
// sees them in this order gives the same answer whatever their order in the file. Columns are sorted by Σ_j r_ij², how much
// each has to do with the others, which depends on neither names, units nor signs; and only columns that agree in it, such
// as copies, by their names. It costs O(d²) and no matrix.
func Canonical(m *dataset.Moments) []int {
	d := m.Dim()
	root := make([]float64, d)
	for j := range root {
		root[j] = math.Sqrt(m.Scatter[j*d+j])
	}
	// The sum is one of whole multiples of 2⁻⁴⁰: whole numbers have the same sum in every order.
	sum := make([]int64, d)
	for i := range sum {
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

// Relabel turns the answer on columns in the given order into one on the columns as they were: column i of the answer is
// column order[i].
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
	place := make([]int, len(order))
	for i, v := range order {
		place[v] = i
	}
	if weight := a.Weight; weight != nil {
		a.Weight = func(from, to int) float64 { return weight(place[from], place[to]) }
	}
	if strength := a.Strength; strength != nil {
		a.Strength = func(from, to int) float64 { return strength(place[from], place[to]) }
	}
	if effect := a.Effect; effect != nil {
		a.Effect = func(from, to int) *Effect { return effect(place[from], place[to]) }
	}
	if open := a.Open; open != nil {
		a.Open = func(from, to int) bool { return open(place[from], place[to]) }
	}
	if turning := a.Turning; turning != nil {
		a.Turning = func(from, to int) (float64, bool) { return turning(place[from], place[to]) }
	}
	if reversal := a.Reversal; reversal != nil {
		a.Reversal = func(from, to int) (float64, bool) { return reversal(place[from], place[to]) }
	}
	if p := a.DirectionP; p != nil {
		a.DirectionP = func(from, to int) float64 { return p(place[from], place[to]) }
	}
	if turned := a.Turned; turned != nil {
		a.Turned = func(from, to int) bool { return turned(place[from], place[to]) }
	}
	if explained := a.Explained; explained != nil {
		a.Explained = func(v int) float64 { return explained(place[v]) }
	}
	if of := a.Categories; of != nil {
		a.Categories = make([]bool, len(of))
		for i, v := range order {
			a.Categories[v] = of[i]
		}
	}
	for i := range a.Changes {
		a.Changes[i].Column = order[a.Changes[i].Column]
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
