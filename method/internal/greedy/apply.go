package greedy

import (
	"encoding/binary"
	"slices"

	"github.com/polydag/polydag/graph"
)

// apply returns the class that an operator leads to, nil where it leads to none.
func (w *walk) apply(ph phase, op operator) *graph.PDAG {
	switch ph {
	case adding:
		return w.insert(op)
	case deleting:
		return w.remove(op)
	}
	return w.turn(op)
}

// insert adds x → y and directs those of the set into y that are not joined with x. There is such a class where no path from y to x
// along the edges avoids the set (Chickering 2002, theorem 15).
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

// reaches reports whether a path leads from one column to another along edges that are not directed against it, outside of a set.
// Most operators of a column that are tried in one step have the same set, so that what is reached is remembered.
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

// reach marks the columns of the set and those that a path outside of it leads to.
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

// remove takes the edge of x and y out and directs the edges from both to those of their common neighbors that are not in the set.
func (w *walk) remove(op operator) *graph.PDAG {
	p := w.class.Clone()
	p.Remove(op.x, op.y)
	for _, u := range w.class.Neighbors(op.y) {
		if u == op.x || slices.Contains(op.set, u) || !w.class.Adjacent(u, op.x) {
			continue
		}
		p.SetDirected(op.y, u)
		if w.class.HasUndirected(op.x, u) {
			p.SetDirected(op.x, u)
		}
	}
	return completed(p)
}

// turn turns y → x or y — x into x → y in a member of the class in which, of the neighbors of y, exactly the set are its parents and
// x has no parents among its neighbors beside those and y: any other neighbor of x that is its parent is an effect of y, and the turned
// edge would close a cycle. There is no such class where no member is like that, or the turned edge closes a cycle in it.
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

// completed returns the CPDAG of the members of p, nil where it has none.
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
