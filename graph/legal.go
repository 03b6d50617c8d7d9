package graph

import "fmt"

// Class returns the PAG of a MAG: what all MAGs have in common that say the same of independence. It has the
// unshielded colliders of the MAG, and the rules find the rest.
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

// Member returns a MAG of the class that a PAG stands for (Zhang 2008, Lemma 3.3.4 of his thesis): i o→ j and i —o j become i → j, and
// what circles alone join is directed along an order without new colliders. Of a graph that is no PAG it is some
// graph without circles.
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

// circleOrder returns the place of each node in an order by maximum cardinality search over the edges with a circle at both
// ends: next comes the node with the most neighbours before it. Where such a graph is chordal, as in every PAG, the
// neighbours before a node are adjacent to each other (Tarjan and Yannakakis 1984).
func (p *PAG) circleOrder() []int {
	n := p.N()
	place, weight := make([]int, n), make([]int, n)
	buckets := [][]int{make([]int, 0, n)}
	for v := n - 1; v >= 0; v-- {
		place[v] = -1
		buckets[0] = append(buckets[0], v)
	}
	for at, top := 0, 0; at < n; {
		last := len(buckets[top]) - 1
		if last < 0 {
			top--
			continue
		}
		v := buckets[top][last]
		buckets[top] = buckets[top][:last]
		if place[v] >= 0 || weight[v] != top {
			continue
		}
		place[v] = at
		at++
		for _, u := range p.near[v] {
			if place[u] < 0 && p.At(u, v) == Circle && p.At(v, u) == Circle {
				weight[u]++
				if weight[u] == len(buckets) {
					buckets = append(buckets, nil)
				}
				buckets[weight[u]] = append(buckets[weight[u]], u)
				top = max(top, weight[u])
			}
		}
	}
	return place
}

// Legal reports why p is no PAG. Its member must be a MAG, and must stand for a class whose marks p has. Prior
// knowledge may have put marks in the place of circles. It costs as much as orienting p once more.
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

// NearestMAG returns a MAG that keeps as much of p as can be kept. Where the edges of p are directed in a cycle, those
// of it that are not required become ↔; i ↔ j becomes i → j where i is an ancestor of j; an undirected edge gets
// the arrowheads that its ends have; and pairs that no set can separate get an edge, as every ancestral
// graph is completed to a maximal one (Richardson and Spirtes 2002, Theorem 5.1).
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
				if m.hasHead(u) {
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
	// Ancestors stay what they are from here on.
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

// hasHead reports whether an edge has an arrowhead at v.
func (p *PAG) hasHead(v int) bool {
	for _, u := range p.near[v] {
		if p.At(u, v) == Arrow {
			return true
		}
	}
	return false
}
