package report

import (
	"fmt"
	"iter"
	"slices"

	"github.com/polydag/polydag"
)

// indexOf maps the names to their places, and checks that the edges use no others.
func indexOf(r *polydag.Result) (map[string]int, error) {
	index := make(map[string]int, len(r.Names))
	for i, name := range r.Names {
		index[name] = i
	}
	if len(index) != len(r.Names) {
		return nil, fmt.Errorf("the result has a name twice; names must differ")
	}
	for _, e := range r.Edges {
		_, from := index[e.From]
		_, to := index[e.To]
		if !from || !to {
			return nil, fmt.Errorf("the edge %s → %s is between names that the result does not list", e.From, e.To)
		}
	}
	return index, nil
}

// incoming lists the edges into each column, by the place of their parent.
func incoming(r *polydag.Result) ([][]polydag.Edge, error) {
	index, err := indexOf(r)
	if err != nil {
		return nil, err
	}
	in := make([][]polydag.Edge, len(r.Names))
	for _, e := range r.Edges {
		to := index[e.To]
		in[to] = append(in[to], e)
	}
	for _, edges := range in {
		slices.SortStableFunc(edges, func(a, b polydag.Edge) int { return index[a.From] - index[b.From] })
	}
	return in, nil
}

// matrixRows iterates over the rows of the matrix whose entry (i, j) is the weight of the edge i → j, 0 where there is
// none. All rows share one slice, so that a graph on d columns takes O(d + edges) memory and not d².
func matrixRows(r *polydag.Result) (iter.Seq2[int, []float64], error) {
	index, err := indexOf(r)
	if err != nil {
		return nil, err
	}
	out := make([][]polydag.Edge, len(r.Names))
	for _, e := range r.Edges {
		from := index[e.From]
		out[from] = append(out[from], e)
	}
	return func(yield func(int, []float64) bool) {
		row := make([]float64, len(r.Names))
		for i, edges := range out {
			for _, e := range edges {
				row[index[e.To]] = e.Weight
			}
			if !yield(i, row) {
				return
			}
			for _, e := range edges {
				row[index[e.To]] = 0
			}
		}
	}, nil
}

// nodesOf returns the descriptions of the columns, or nil where the result has none, as results of early versions.
func nodesOf(r *polydag.Result) []polydag.Node {
	if len(r.Nodes) != len(r.Names) {
		return nil
	}
	return r.Nodes
}
