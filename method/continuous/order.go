package continuous

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
)

// support returns the graph of the nonzero entries of w and the required edges.
func support(w *matrix.Dense[float64], required []graph.Edge) *graph.Graph {
	g := graph.Threshold(w.Rows, w.At, 0)
	for _, e := range required {
		if !g.HasEdge(e.From, e.To) {
			g.AddEdge(e.From, e.To)
		}
	}
	return g
}

// cut removes edges from g until no cycle is left. It keeps the required edges and then, in order of decreasing
// weight, each edge that closes no cycle. The removed edges are sorted. A threshold that gives a DAG would also
// work, but a single strong cycle would then remove every weaker edge.
//
// Ancestors are bit sets, so a removed edge costs O(1) and a kept one O(d²/64).
func cut(g *graph.Graph, w *matrix.Dense[float64], required []graph.Edge) (kept *graph.Graph, out []graph.Edge) {
	d := g.N()
	kept = graph.New(d)
	above := newBitMatrix(d)
	add := func(e graph.Edge) {
		kept.AddEdge(e.From, e.To)
		for x := range d {
			if x == e.To || above.has(x, e.To) {
				above.set(x, e.From)
				above.merge(x, e.From)
			}
		}
	}
	for _, e := range required {
		add(e)
	}
	edges := g.Edges()
	slices.SortStableFunc(edges, func(a, b graph.Edge) int {
		return cmp.Compare(math.Abs(w.At(b.From, b.To)), math.Abs(w.At(a.From, a.To)))
	})
	for _, e := range edges {
		switch {
		case kept.HasEdge(e.From, e.To):
		case above.has(e.From, e.To):
			out = append(out, e)
		default:
			add(e)
		}
	}
	slices.SortFunc(out, func(a, b graph.Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return kept, out
}

// A bitMatrix is a square matrix of bits.
type bitMatrix struct {
	words int
	data  []uint64
}

func newBitMatrix(n int) *bitMatrix {
	words := (n + 63) / 64
	return &bitMatrix{words, make([]uint64, n*words)}
}

func (b *bitMatrix) row(i int) []uint64 { return b.data[i*b.words : (i+1)*b.words] }
func (b *bitMatrix) has(i, j int) bool  { return b.row(i)[j>>6]>>(j&63)&1 != 0 }
func (b *bitMatrix) set(i, j int)       { b.row(i)[j>>6] |= 1 << (j & 63) }
func (b *bitMatrix) clear(i, j int)     { b.row(i)[j>>6] &^= 1 << (j & 63) }

// each calls f with the index of each set bit of row i, ascending.
func (b *bitMatrix) each(i int, f func(j int)) {
	for k, w := range b.row(i) {
		for ; w != 0; w &= w - 1 {
			f(64*k + bits.TrailingZeros64(w))
		}
	}
}

// merge adds row j to row i.
func (b *bitMatrix) merge(i, j int) {
	to := b.row(i)
	for k, w := range b.row(j) {
		to[k] |= w
	}
}
