package greedy

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
)

// Arranged returns k for columns in another order: column i is column order[i] of k. It is nil if k is nil.
func Arranged(k *knowledge.Knowledge, order []int) Knowledge {
	if k == nil {
		return nil
	}
	place := make([]int, len(order))
	for i, v := range order {
		place[v] = i
	}
	return &arranged{k: k, order: order, place: place}
}

type arranged struct {
	k            *knowledge.Knowledge
	order, place []int
}

// Required lists the required edges.
func (a *arranged) Required() []graph.Edge {
	all := a.k.Required()
	for i, e := range all {
		all[i] = graph.Edge{From: a.place[e.From], To: a.place[e.To]}
	}
	return all
}

// Forbidden reports whether an edge is forbidden.
func (a *arranged) Forbidden(from, to int) bool { return a.k.Forbidden(a.order[from], a.order[to]) }

// Orient returns the class with the directions that the knowledge implies.
func (a *arranged) Orient(class *graph.PDAG) (*graph.PDAG, error) {
	known, err := a.k.Orient(relabel(class, a.order))
	if err != nil {
		return nil, err
	}
	return relabel(known, a.place), nil
}

// relabel returns the graph with node i renamed to to[i].
func relabel(p *graph.PDAG, to []int) *graph.PDAG {
	out := graph.NewPDAG(p.N())
	for _, e := range p.DirectedEdges() {
		out.SetDirected(to[e.From], to[e.To])
	}
	for _, e := range p.UndirectedEdges() {
		out.SetUndirected(to[e.From], to[e.To])
	}
	return out
}
