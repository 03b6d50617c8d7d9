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

// onlyDirected refuses a result that is no DAG.
func onlyDirected(r *polydag.Result) error {
	if r.Kind == graph.KindDAG {
		return nil
	}
	return fmt.Errorf("%w: it is of kind %q, which has no complete DAG", ErrNotDAG, r.Kind)
}

// holds refuses a graph that the format could not distinguish from one that it holds: a DAG, or a graph with directed and undirected
// edges. A class with one member is that DAG.
func holds(r *polydag.Result, f Format) error {
	fault := ""
	if !slices.Contains([]graph.Kind{graph.KindDAG, graph.KindCPDAG, graph.KindPDAG}, r.Kind) {
		fault = fmt.Sprintf("it is of kind %q", r.Kind)
	}
	if len(r.Lagged) > 0 {
		fault = "it has edges with a lag"
	}
	for _, e := range r.Edges {
		if !e.Directed() && !(f.Undirected && e.Mark == "---") {
			fault = fmt.Sprintf("it is of kind %q and has the edge %s %s %s", r.Kind, e.From, e.Mark, e.To)
			break
		}
	}
	if fault == "" {
		return nil
	}
	var can []string
	for _, other := range Formats() {
		if other.Marks {
			can = append(can, other.Name)
		}
	}
	has := "directed"
	if f.Undirected {
		has = "directed and undirected"
	}
	return fmt.Errorf("%w: %s, and the format %s holds %s edges only; write one of %s", ErrNotDAG, fault, f.Name, has, strings.Join(can, ", "))
}

// indexFor is indexOf for a format that does not hold every graph.
func indexFor(r *polydag.Result, f Format) (map[string]int, error) {
	index, err := indexOf(r)
	if err == nil {
		err = holds(r, f)
	}
	return index, err
}

// incoming lists the directed edges into each column, ordered by the parent.
func incoming(r *polydag.Result, f Format) ([][]polydag.Edge, error) {
	index, err := indexFor(r, f)
	if err != nil {
		return nil, err
	}
	in := make([][]polydag.Edge, len(r.Names))
	for _, e := range r.Edges {
		if e.Directed() {
			to := index[e.To]
			in[to] = append(in[to], e)
		}
	}
	for _, edges := range in {
		slices.SortStableFunc(edges, func(a, b polydag.Edge) int { return index[a.From] - index[b.From] })
	}
	return in, nil
}

// mostMatrix limits the bytes of a matrix of float64, so that it has up to 23,170 names. A sparse graph of more needs no matrix.
const mostMatrix = 4 << 30

// bothWays returns the edges of a result, an undirected one as two, for formats whose readers know no mixed graphs.
func bothWays(r *polydag.Result) []polydag.Edge {
	var out []polydag.Edge
	for _, e := range r.AllEdges() {
		out = append(out, e)
		if e.Mark == "---" {
			e.From, e.To, e.PDirection = e.To, e.From, e.PReverse()
			if e.Verdict == "" {
				e.PDirection = 0
			}
			out = append(out, e)
		}
	}
	return out
}

// matrixRows iterates over the rows of the matrix whose entry (i, j) is the weight of the edge i → j, NaN if the edge has no weight, and 0
// without an edge. For an undirected edge both entries are NaN. All rows share one slice, so that memory is O(d + edges) and not d².
func matrixRows(r *polydag.Result, format string) (iter.Seq2[int, []float64], error) {
	index, err := indexFor(r, Format{Name: format, Undirected: true})
	if err != nil {
		return nil, err
	}
	if d := int64(len(r.Names)); 8*d*d > mostMatrix {
		return nil, fmt.Errorf("a matrix of %d × %d numbers takes %s, and the format %s is written up to %s; write the edges instead, with format edges (.csv)", d, d, memory.Size(8*d*d), format, memory.Size(mostMatrix))
	}
	out := make([][]polydag.Edge, len(r.Names))
	for _, e := range bothWays(r) {
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
