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
// It costs O(d²) and no matrix.
func Canonical(m *dataset.Moments) []int {
	d := m.Dim()
	root := make([]float64, d)
	for j := range root {
		root[j] = math.Sqrt(m.Scatter[j*d+j])
	}
	keys := make([]columnKey, d)
	for i := range keys {
		keys[i] = newColumnKey(m.Scatter[i*d:(i+1)*d], root, i)
	}
	order := make([]int, d)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(slices.Compare(keys[b].largest[:], keys[a].largest[:]), cmp.Compare(keys[b].sum, keys[a].sum), cmp.Compare(m.Names[a], m.Names[b]))
	})
	return order
}

// columnKey is what columns are compared by. Two columns whose largest correlation is the one between them differ in the
// second.
type columnKey struct {
	largest [6]float64 // absolute correlations, in descending order
	// sum adds up the squared correlations, rounded to whole multiples of 2⁻⁴⁰: whole numbers have the same sum in every
	// order.
	sum int64
}

func newColumnKey(scatter, root []float64, i int) (k columnKey) {
	for j, s := range scatter {
		if j == i {
			continue
		}
		v := 0.0
		if scale := root[i] * root[j]; scale > 0 {
			v = min(1, math.Abs(s)/scale)
		}
		k.sum += int64(v * v * (1 << 40))
		for at := range k.largest {
			if v > k.largest[at] {
				v, k.largest[at] = k.largest[at], v
			}
		}
	}
	return k
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
