package report

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/names"
)

// indexOf maps the names to their indices, and checks that the edges use only these names and have marks.
func indexOf(r *polydag.Result) (map[string]int, error) {
	index := names.Index(r.Names)
	if len(index) != len(r.Names) {
		return nil, fmt.Errorf("the result has a name twice; names must differ")
	}
	for _, e := range r.AllEdges() {
		_, from := index[e.From]
		_, to := index[e.To]
		if !from || !to {
			return nil, fmt.Errorf("the edge %s → %s is between names that the result does not list", e.From, e.To)
		}
		if graph.Words(e.Mark) == "" {
			return nil, fmt.Errorf("the mark of %s and %s is %q; want one of %s", e.From, e.To, e.Mark, strings.Join(graph.Symbols(), " "))
		}
	}
	return index, nil
}

// ErrNotDAG is returned by formats that support only DAGs.
var ErrNotDAG = errors.New("the graph is not a DAG")

// onlyDAG refuses a graph that the format could not distinguish from a DAG. A class with one member is that
// DAG.
func onlyDAG(r *polydag.Result, format string) error {
	fault := ""
	if r.Kind != graph.KindDAG && r.Kind != graph.KindCPDAG {
		fault = fmt.Sprintf("it is of kind %q", r.Kind)
	}
	if len(r.Lagged) > 0 {
		fault = "it has edges with a lag"
	}
	for _, e := range r.Edges {
		if !e.Directed() {
			fault = fmt.Sprintf("it is of kind %q and has the edge %s %s %s", r.Kind, e.From, e.Mark, e.To)
			break
		}
	}
	if fault == "" {
		return nil
	}
	var can []string
	for _, f := range Formats() {
		if f.Marks {
			can = append(can, f.Name)
		}
	}
	return fmt.Errorf("%w: %s, and the format %s holds directed edges only; write one of %s", ErrNotDAG, fault, format, strings.Join(can, ", "))
}

// indexOfDAG is indexOf for a format that supports only DAGs.
func indexOfDAG(r *polydag.Result, format string) (map[string]int, error) {
	index, err := indexOf(r)
	if err == nil {
		err = onlyDAG(r, format)
	}
	return index, err
}

// incoming lists the edges into each column of a DAG, ordered by the parent.
func incoming(r *polydag.Result, format string) ([][]polydag.Edge, error) {
	index, err := indexOfDAG(r, format)
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

// mostMatrix limits the bytes of a matrix of float64, so that it has up to 23,170 names. A sparse graph of more needs no matrix.
const mostMatrix = 4 << 30

// matrixRows iterates over the rows of the matrix whose entry (i, j) is the weight of the edge i → j, NaN if the edge has no weight, and 0
// without an edge. All rows share one slice, so that memory is O(d + edges) and not d².
func matrixRows(r *polydag.Result, format string) (iter.Seq2[int, []float64], error) {
	index, err := indexOfDAG(r, format)
	if err != nil {
		return nil, err
	}
	if d := int64(len(r.Names)); 8*d*d > mostMatrix {
		return nil, fmt.Errorf("a matrix of %d × %d numbers takes %s, and the format %s is written up to %s; write the edges instead, with format edges (.csv)", d, d, memory.Size(8*d*d), format, memory.Size(mostMatrix))
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
				if row[index[e.To]] = e.Weight; !r.HasWeight(e) {
					row[index[e.To]] = math.NaN()
				}
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

// nodesOf returns the descriptions of the columns, or nil for results of early versions.
func nodesOf(r *polydag.Result) []polydag.Node {
	if len(r.Nodes) != len(r.Names) {
		return nil
	}
	return r.Nodes
}
