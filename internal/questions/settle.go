package questions

import (
	"cmp"
	"slices"

	"github.com/polydag/polydag/graph"
)

// settled reports for each edge whether its direction follows from an order of columns: the order has its ends, or Meek's rules
// direct it in the equivalence class, given the edges that the order has.
func (q *Dialogue) settled(o order) []bool {
	out := make([]bool, len(q.edges))
	var known []graph.Edge
	for k, e := range q.edges {
		switch {
		case o.has(e.From, e.To):
			out[k], known = true, append(known, e.Edge)
		case o.has(e.To, e.From):
			out[k], known = true, append(known, graph.Edge{From: e.To, To: e.From})
		}
	}
	if len(known) == 0 {
		return out
	}
	class, err := graph.CPDAG(q.agreeing(o))
	if err != nil {
		return out // not reached: agreeing returns a DAG
	}
	with, err := class.WithKnowledge(known)
	if err != nil {
		return out
	}
	for k, e := range q.edges {
		if class.HasUndirected(e.From, e.To) && !with.HasUndirected(e.From, e.To) {
			out[k] = true
		}
	}
	return out
}

// agreeing returns a DAG with the edges of the learned graph that agrees with the order. An edge keeps its more likely direction
// where the order and the surer edges allow it.
func (q *Dialogue) agreeing(o order) *graph.Graph {
	sure := make([]int, len(q.edges))
	for k := range sure {
		sure[k] = k
	}
	slices.SortStableFunc(sure, func(a, b int) int {
		return cmp.Compare(q.edges[a].value(), q.edges[b].value()) // least entropy first
	})
	o = o.clone()
	g := graph.New(len(q.names))
	for _, k := range sure {
		from, to := q.edges[k].From, q.edges[k].To
		if q.edges[k].Direction < 0.5 {
			from, to = to, from
		}
		if o.has(to, from) {
			from, to = to, from
		}
		o.add(from, to)
		g.AddEdge(from, to)
	}
	return g
}
