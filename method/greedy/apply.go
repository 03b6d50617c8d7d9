package greedy

import (
	"encoding/binary"
	"slices"

	"github.com/polydag/polydag/graph"
)

// apply returns the class that results from an operator, or nil if the operator is not valid.
func (w *walk) apply(ph phase, op operator) *graph.PDAG {
	switch ph {
	case adding:
		return w.insert(op)
	case deleting:
		return w.remove(op)
	}
	return w.turn(op)
}

// insert adds x → y and directs the nodes of the set that are not adjacent to x into y. It is valid if every
// semi-directed path from y to x passes through the set (Chickering 2002, theorem 15).
func (w *walk) insert(op operator) *graph.PDAG {
	if w.full(op.x) || w.full(op.y) || w.reaches(op.y, op.x, op.set) {
		return nil
	}
	p := w.class.Clone()
	p.SetDirected(op.x, op.y)
	for _, u := range op.set {
		if !w.class.Adjacent(u, op.x) {
			p.SetDirected(u, op.y)
		}
	}
	return completed(p)
}

// reaches reports whether a semi-directed path leads from one column to another outside a set. Most operators
// of a column in one step have the same set, so the result is cached.
func (w *walk) reaches(from, to int, outside []int) bool {
	key := binary.AppendUvarint(nil, uint64(from))
	for _, v := range outside {
		key = binary.AppendUvarint(key, uint64(v))
	}
	seen, ok := w.reached[string(key)]
	if !ok {
		seen = w.reach(from, outside)
		w.reached[string(key)] = seen
	}
	return seen[to]
}

// reach marks the columns of the set and those reachable by paths outside it.
func (w *walk) reach(from int, outside []int) []bool {
	seen := make([]bool, w.class.N())
	for _, v := range outside {
		seen[v] = true
	}
	seen[from] = true
	todo := []int{from}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, next := range [][]int{w.class.Children(v), w.class.Neighbors(v)} {
			for _, u := range next {
				if !seen[u] {
					seen[u] = true
					todo = append(todo, u)
				}
			}
		}
	}
	return seen
}

// remove deletes the edge between x and y and directs the edges from both to their common neighbors that are
// not in the set.
func (w *walk) remove(op operator) *graph.PDAG {
	p := w.class.Clone()
	p.Remove(op.x, op.y)
	for _, u := range w.class.Neighbors(op.y) {
		if slices.Contains(op.set, u) || !w.class.Adjacent(u, op.x) {
			continue
		}
		p.SetDirected(op.y, u)
		if w.class.HasUndirected(op.x, u) {
			p.SetDirected(op.x, u)
		}
	}
	return completed(p)
}

// turn changes y → x or y — x into x → y in a suitable member of the class. In it, exactly the set are parents
// of y among its neighbors, and x has no other parents among its neighbors except these and y. Any other such
// parent of x would be a descendant of y, and the reversed edge would close a cycle. It returns nil if there is
// no such member or the reversed edge closes a cycle.
func (w *walk) turn(op operator) *graph.PDAG {
	var known []graph.Edge
	for _, u := range w.class.Neighbors(op.y) {
		if slices.Contains(op.set, u) {
			known = append(known, graph.Edge{From: u, To: op.y})
		} else {
			known = append(known, graph.Edge{From: op.y, To: u})
		}
	}
	for _, u := range w.class.Neighbors(op.x) {
		if u != op.y && !slices.Contains(op.set, u) {
			known = append(known, graph.Edge{From: op.x, To: u})
		}
	}
	p, err := w.class.WithKnowledge(known)
	if err != nil {
		return nil
	}
	g, err := p.Extension()
	if err != nil {
		return nil
	}
	g.RemoveEdge(op.y, op.x)
	g.AddEdge(op.x, op.y)
	next, err := graph.CPDAG(g)
	if err != nil { // a cycle
		return nil
	}
	return next
}

// completed returns the CPDAG of the members of p, or nil if there are none.
func completed(p *graph.PDAG) *graph.PDAG {
	g, err := p.Extension()
	if err != nil {
		return nil
	}
	class, err := graph.CPDAG(g)
	if err != nil {
		return nil
	}
	return class
}
