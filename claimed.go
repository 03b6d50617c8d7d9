package polydag

import (
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
)

// Claimed returns the graph that the result states, which other programs get: a directed edge has the mark --> only if its direction is
// stated, and --- if it is undirected or weak. Such an edge has no weight. An edge with a lag keeps its arrow, the order of time. r itself
// has the complete graph, and is returned if every arrow in it is stated.
func (r *Result) Claimed() *Result {
	open := func(e Edge) bool {
		return e.Lag == 0 && e.Directed() && e.Verdict != Directed && e.Verdict != ""
	}
	if !slices.ContainsFunc(r.Edges, open) {
		return r
	}
	return r.rewritten(func(e Edge) (Edge, bool) {
		if open(e) {
			e.Mark, e.Weight, e.Standardized = "---", 0, 0
		}
		return e, true
	})
}

// A Selection says which edges of a result are handed over. The zero value selects all.
type Selection struct {
	// MinConfidence is the smallest confidence of an edge. A directed edge with a lower one becomes undirected if the probability of
	// an edge in either direction is high enough.
	MinConfidence float64
	// Basis lists what a stated direction may rest on, in the words of Edge.RestsOn. Other directed edges become undirected, and other
	// edges with a lag are left out. Nil selects all.
	Basis []string
}

// Selected returns the result with the selected edges only.
func (r *Result) Selected(s Selection) *Result {
	if s.MinConfidence <= 0 && s.Basis == nil {
		return r
	}
	return r.rewritten(func(e Edge) (Edge, bool) {
		based := s.Basis == nil || e.Verdict != Directed || slices.Contains(s.Basis, e.RestsOn())
		if e.Verdict == Directed && e.Lag == 0 && (!based || e.Confidence < s.MinConfidence) {
			e.Verdict, e.Confidence, based = Undirected, e.PAdjacent, true
		}
		return e, based && e.Confidence >= s.MinConfidence
	})
}

// rewritten returns a copy of r with each edge as change returns it, or without it.
func (r *Result) rewritten(change func(Edge) (Edge, bool)) *Result {
	out := *r
	apply := func(edges []Edge) []Edge {
		list := make([]Edge, 0, len(edges))
		for _, e := range edges {
			if e, keep := change(e); keep {
				list = append(list, e)
			}
		}
		return list
	}
	out.Edges = apply(r.Edges)
	if r.Lagged != nil {
		out.Lagged = apply(r.Lagged)
	}
	undirected := slices.ContainsFunc(out.Edges, func(e Edge) bool { return e.Mark == "---" })
	if undirected && r.Kind == graph.KindDAG || r.Kind == graph.KindCPDAG {
		out.Kind = graph.KindPDAG
	}
	out.Certificate.Kind = out.Kind
	index := names.Index(r.Names)
	out.Marked = graph.NewMixed(out.Kind, len(r.Names))
	for _, e := range out.Edges {
		from, okFrom := index[e.From]
		to, okTo := index[e.To]
		atFrom, atTo, err := graph.ParseSymbol(e.Mark)
		if okFrom && okTo && from != to && err == nil {
			out.Marked.Set(graph.MarkedEdge{Edge: graph.Edge{From: from, To: to}, AtFrom: atFrom, AtTo: atTo})
		}
	}
	out.Graph = out.Marked.Directed()
	return &out
}
