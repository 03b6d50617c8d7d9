package polydag

import (
	"cmp"
	"math"
	"slices"

	"github.com/polydag/polydag/dag"
	"github.com/polydag/polydag/dataset"
)

// Where the data leave a choice (between graphs that fit equally well, or between local optima), a search decides by
// the numbers of the columns. So that the answer does not depend on how the table happens to be arranged, auto and order learn
// from the columns in an order that is made of the data, and the answer is put into the table's order at the end. The moments
// of a pair of columns are the same to the last bit wherever the two stand, and with that all that follows.

// arranges reports whether the method learns from columns in canonical order. The others give the same graph up to
// rounding.
func (m Method) arranges() bool { return m == Auto || m == Order }

// canonicalOrder sorts the columns by Σ_j r_ij², how much each has to do with the others; then by standard deviation and mean;
// and only columns that agree in all of these, copies, by their names. The sum is one of integers, in units of
// 2⁻⁴⁰, and so depends on no order; it stays the same when a column changes its name, units or sign. O(d²).
func canonicalOrder(m *dataset.Moments) []int {
	d := len(m.Names)
	std := m.Std()
	key := make([]uint64, d)
	for i := range d {
		for j := range d {
			if r := m.Scatter[i*d+j] / (std[i] * std[j] * float64(m.N)); r-r == 0 {
				key[i] += uint64(math.Round(min(1, r*r) * (1 << 40)))
			}
		}
	}
	out := make([]int, d)
	for i := range out {
		out[i] = i
	}
	slices.SortFunc(out, func(a, b int) int {
		return cmp.Or(cmp.Compare(key[a], key[b]), cmp.Compare(std[a], std[b]), cmp.Compare(m.Mean[a], m.Mean[b]), cmp.Compare(m.Names[a], m.Names[b]))
	})
	return out
}

// restoreOrder puts a result on canonical columns into the order of the table: place i of the result is column order[i].
func (r *Result) restoreOrder(names []string, order []int) {
	place := make(map[string]int, len(names))
	for j, name := range names {
		place[name] = j
	}
	nodes := make([]Node, len(r.Nodes))
	for i, node := range r.Nodes {
		nodes[order[i]] = node
	}
	r.Nodes = nodes
	slices.SortFunc(r.Edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(place[a.From], place[b.From]), cmp.Compare(place[a.To], place[b.To]))
	})
	sortLinks := func(links []Link) {
		slices.SortFunc(links, func(a, b Link) int {
			return cmp.Or(cmp.Compare(place[a.From], place[b.From]), cmp.Compare(place[a.To], place[b.To]))
		})
	}
	for i := range r.Stages {
		sortLinks(r.Stages[i].Graph)
	}
	if r.ScaleCheck != nil {
		sortLinks(r.ScaleCheck.OnlyRaw)
		sortLinks(r.ScaleCheck.OnlyStandardized)
	}
	g := dag.New(len(names))
	for _, e := range r.Graph.Edges() {
		g.AddEdge(order[e.From], order[e.To])
	}
	r.Graph = g
}
