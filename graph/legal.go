package graph

import (
	"fmt"
	"slices"
)

// Class returns the PAG of a MAG: the common marks of all MAGs with the same independences. It starts from the unshielded colliders
// of the MAG and applies the orientation rules.
func (p *PAG) Class(selection bool) *PAG {
	q := p.Circles()
	for b, near := range p.near {
		for k, a := range near {
			for _, c := range near[:k] {
				if p.At(a, b) == Arrow && p.At(c, b) == Arrow && !p.Adjacent(a, c) {
					q.Mark(a, b, Arrow)
					q.Mark(c, b, Arrow)
				}
			}
		}
	}
	q.Close(Rules{Selection: selection, Judge: func(path []int) Verdict {
		a, b, c := path[len(path)-3], path[len(path)-2], path[len(path)-1]
		if p.At(a, b) == Arrow && p.At(c, b) == Arrow {
			return Collider
		}
		return NonCollider
	}})
	return q
}

// Member returns a MAG of the class that a PAG represents (Zhang 2008, Lemma 3.3.4 of his thesis): i o→ j and i —o j become i → j,
// and edges with two circles are directed along an order without new colliders. If p is not a PAG, the result is some graph without
// circles.
func (p *PAG) Member() *PAG {
	m := p.Clone()
	place := p.circleOrder()
	for _, e := range p.Skeleton() {
		i, j := e.From, e.To
		atI, atJ := p.At(j, i), p.At(i, j)
		switch {
		case atI == Circle && atJ == Circle && place[i] > place[j], atI == Arrow && atJ == Circle, atI == Circle && atJ == Tail:
			m.Set(i, j, Arrow, Tail)
		case atI == Circle || atJ == Circle:
			m.Set(i, j, Tail, Arrow)
		}
	}
	return m
}

// circleOrder returns the place of each node in an order by maximum cardinality search over the edges with a circle at both ends:
// the next node is the one with the most neighbours before it. If the graph is chordal, as in every PAG, the neighbours before a
// node are adjacent to each other (Tarjan and Yannakakis 1984). If possible, a node comes after the nodes of its component that
// prior knowledge directs into it. O(n²) for a component of n nodes.
func (p *PAG) circleOrder() []int {
	place, weight, seen := make([]int, p.N()), make([]int, p.N()), make([]bool, p.N())
	circle := func(u, v int) bool { return p.At(u, v) == Circle && p.At(v, u) == Circle }
	at := 0
	for first := range seen {
		if seen[first] {
			continue
		}
		part, inside := []int{first}, map[int]bool{first: true}
		for k := 0; k < len(part); k++ {
			seen[part[k]] = true
			for _, u := range p.near[part[k]] {
				if !inside[u] && circle(u, part[k]) {
					inside[u] = true
					part = append(part, u)
				}
			}
		}
		waits := func(v int) bool {
			return slices.ContainsFunc(p.near[v], func(u int) bool { return inside[u] && p.directed(u, v) })
		}
		for len(part) > 0 {
			best, free := 0, false
			for k, v := range part {
				switch f := !waits(v); {
				case k > 0 && free && !f:
				case k == 0, f && !free, weight[v] > weight[part[best]], weight[v] == weight[part[best]] && v < part[best]:
					best, free = k, f
				}
			}
			v := part[best]
			part = slices.Delete(part, best, best+1)
			delete(inside, v)
			place[v] = at
			at++
			for _, u := range p.near[v] {
				if inside[u] && circle(u, v) {
					weight[u]++
				}
			}
		}
	}
	return place
}

// Legal returns an error if p is not a PAG: its member must be a MAG, and the marks of p must be those of the member's class. Prior
// knowledge may have replaced circles. It costs as much as orienting p again.
func (p *PAG) Legal() error {
	m := p.Member()
	if err := m.CheckMAG(); err != nil {
		return fmt.Errorf("%w: no MAG has these marks: %w", ErrKind, err)
	}
	selected := false
	for _, e := range p.Skeleton() {
		selected = selected || p.At(e.From, e.To) == Tail && p.At(e.To, e.From) != Arrow || p.At(e.To, e.From) == Tail && p.At(e.From, e.To) != Arrow
	}
	class := m.Class(selected)
	for _, e := range p.Skeleton() {
		for _, f := range []Edge{e, {e.To, e.From}} {
			if got, want := p.At(f.From, f.To), class.At(f.From, f.To); got != want && want != Circle {
				return fmt.Errorf("%w: the mark at %d of its edge with %d is another in the class of graphs that the others stand for", ErrKind, f.To, f.From)
			}
		}
	}
	return nil
}

// NearestMAG returns a MAG that keeps as much of p as possible. Edges of a directed cycle that are not required become ↔; i ↔ j
// becomes i → j if i is an ancestor of j; an undirected edge gets the arrowheads that its ends have; and pairs that no set can
// separate get an edge, which makes an ancestral graph maximal (Richardson and Spirtes 2002, Theorem 5.1).
func (p *PAG) NearestMAG(required func(i, j int) bool) *PAG {
	m := p.Member()
	for {
		v, ok := m.headAtUndirected()
		if !ok {
			break
		}
		for _, u := range m.near[v] {
			if m.At(u, v) == Tail && m.At(v, u) == Tail {
				m.Mark(u, v, Arrow)
				if slices.ContainsFunc(m.near[u], func(w int) bool { return m.At(w, u) == Arrow }) {
					m.Mark(v, u, Arrow)
				}
			}
		}
	}
	for _, component := range m.Directed().CyclicComponents() {
		in := map[int]bool{}
		for _, v := range component {
			in[v] = true
		}
		for _, v := range component {
			for _, u := range m.near[v] {
				if in[u] && m.directed(v, u) && !required(v, u) {
					m.Set(v, u, Arrow, Arrow)
				}
			}
		}
	}
	// From here on the ancestors do not change.
	directed := m.Directed()
	marks := func(e Edge) (atFrom, atTo Mark) {
		switch {
		case directed.HasPath(e.From, e.To):
			return Tail, Arrow
		case directed.HasPath(e.To, e.From):
			return Arrow, Tail
		}
		return Arrow, Arrow
	}
	for _, e := range m.Skeleton() {
		if m.At(e.From, e.To) == Arrow && m.At(e.To, e.From) == Arrow {
			atFrom, atTo := marks(e)
			m.Set(e.From, e.To, atFrom, atTo)
		}
	}
	for missing := m.induced(); len(missing) > 0; missing = m.induced() {
		for _, e := range missing {
			atFrom, atTo := marks(e)
			m.Set(e.From, e.To, atFrom, atTo)
		}
	}
	return m
}
