package method

import (
	"cmp"
	"math"
	"slices"

	"github.com/polydag/polydag/dag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
)

// Canonical returns an order of the columns that depends on the data and not on where the columns stand: a method that
// sees them in this order gives the same answer whatever their order in the file. Columns are compared by their
// largest correlations, which depend on neither units nor signs, then by the sum of all squared ones, then by name.
// It costs O(d²).
func Canonical(m *dataset.Moments) []int {
	d, r := m.Dim(), m.Correlation()
	keys := make([][]float64, d)
	for i := range d {
		keys[i] = correlationKey(r.Row(i), i)
	}
	order := make([]int, d)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(slices.Compare(keys[b], keys[a]), cmp.Compare(m.Names[a], m.Names[b]))
	})
	return order
}

// largest is how many correlations of a column are compared. Two columns whose largest one is the one between them
// differ in the second.
const largest = 6

// correlationKey returns the largest absolute entries of row i, itself left out, in descending order, and the sum of all
// squares. The squares are added in ascending order, so that the sum has the same bits in every order of the
// columns.
func correlationKey(row []float64, i int) []float64 {
	all := make([]float64, 0, len(row))
	for j, v := range row {
		if j != i {
			all = append(all, math.Abs(v))
		}
	}
	slices.Sort(all)
	sum := 0.0
	for _, v := range all {
		sum += v * v
	}
	key := slices.Clone(all[max(0, len(all)-largest):])
	slices.Reverse(key)
	return append(key, sum)
}

// Permuted returns the moments with column order[i] at place i.
func Permuted(m *dataset.Moments, order []int) *dataset.Moments {
	d := len(order)
	names := make([]string, d)
	for i, a := range order {
		names[i] = m.Names[a]
	}
	out := dataset.NewMoments(names)
	out.N = m.N
	for i, a := range order {
		out.Mean[i], out.Min[i], out.Max[i] = m.Mean[a], m.Min[a], m.Max[a]
		for j, b := range order {
			out.Scatter[i*d+j] = m.Scatter[a*d+b]
		}
	}
	return out
}

// Relabel turns the answer on columns in the given order into one on the columns as they were: column i of the answer is
// column order[i].
func (a *Answer) Relabel(order []int) {
	directed := func(g *dag.Graph) *dag.Graph {
		if g == nil {
			return nil
		}
		out := dag.New(g.N())
		for _, e := range g.Edges() {
			out.AddEdge(order[e.From], order[e.To])
		}
		return out
	}
	marked := dag.NewMixed(a.Graph.Kind(), a.Graph.N())
	for _, e := range a.Graph.Edges() {
		e.From, e.To = order[e.From], order[e.To]
		marked.Set(e)
	}
	a.Graph = marked
	for i := range a.Stages {
		a.Stages[i].Graph = directed(a.Stages[i].Graph)
	}
	if weight := a.Weight; weight != nil {
		place := make([]int, len(order))
		for i, v := range order {
			place[v] = i
		}
		a.Weight = func(from, to int) float64 { return weight(place[from], place[to]) }
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
			c.Cut[i] = dag.Edge{From: order[e.From], To: order[e.To]}
		}
	}
}
