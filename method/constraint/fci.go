package constraint

import (
	"context"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
)

// PossibleDSep removes further edges of a skeleton with possible hidden confounders: two nodes that no neighbours separate may be
// separated by more distant nodes (Spirtes, Meek and Richardson 1999). v is in the possible d-separating set of x if a path leads
// from x to v on which every inner node is a collider or is in a triangle with its neighbours on the path. The sets are computed
// once, from the colliders of the skeleton, and every adjacent pair is tested given their subsets by increasing size.
func (s *Search) PossibleDSep(ctx context.Context) error {
	p := s.circles()
	s.unshielded(p)
	sets := make([][]int, p.N())
	for x := range sets {
		if err := ctx.Err(); err != nil {
			return err
		}
		sets[x] = possible(p, x, s.set.MaxPath)
	}
	near := make([][]int, p.N())
	for v := range near {
		near[v] = slices.Clone(p.Neighbors(v))
	}
	// Sets of neighbours were already tested for the skeleton, up to the same size.
	known := func(x, y int) [2][]int { return [2][]int{near[x], near[y]} }
	for size := 0; s.set.MaxGiven < 0 || size <= s.set.MaxGiven; size++ {
		more, err := s.level(ctx, size, func(x, y int) [2][]int {
			return [2][]int{intset.Without(sets[x], y), intset.Without(sets[y], x)}
		}, known)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if s.set.Tell != nil {
			s.set.Tell(size, s.Edges())
		}
	}
	return nil
}

// possible returns the possible d-separating set of x, ascending, without x, in O(edges·degree).
func possible(p *graph.PAG, x, maxPath int) []int {
	seen, in := map[graph.Edge]bool{}, map[int]bool{}
	var now, next []graph.Edge
	enter := func(from, to int) {
		if e := (graph.Edge{From: from, To: to}); to != x && !seen[e] {
			seen[e], in[to] = true, true
			next = append(next, e)
		}
	}
	for _, v := range p.Neighbors(x) {
		enter(x, v)
	}
	for length := 1; len(next) > 0 && (maxPath == 0 || length < maxPath); length++ {
		now, next = next, now[:0]
		for _, e := range now {
			for _, w := range p.Neighbors(e.To) {
				if w == e.From {
					continue
				}
				if p.At(e.From, e.To) == graph.Arrow && p.At(w, e.To) == graph.Arrow || p.Adjacent(e.From, w) {
					enter(e.To, w)
				}
			}
		}
	}
	out := make([]int, 0, len(in))
	for v := range in {
		out = append(out, v)
	}
	slices.Sort(out)
	return out
}

// circles returns the skeleton with a circle at each end.
func (s *Search) circles() *graph.PAG {
	p := graph.NewPAG(s.test.Columns())
	for x, near := range s.state.Near {
		for _, y := range near {
			if x < y {
				p.Set(x, y, graph.Circle, graph.Circle)
			}
		}
	}
	return p
}

// unshielded puts arrowheads at the middle of every triple a *—* b *—* c whose separating set does not contain b.
func (s *Search) unshielded(p *graph.PAG) {
	for _, t := range s.triples() {
		set, ok := s.sepset(t.A, t.B)
		if _, in := slices.BinarySearch(set, t.Mid); ok && !in {
			p.Mark(t.A, t.Mid, graph.Arrow)
			p.Mark(t.B, t.Mid, graph.Arrow)
		}
	}
}

// know sets the marks of prior knowledge: i → j if it is required, and an arrowhead at i if i → j is forbidden.
func (s *Search) know(p *graph.PAG) {
	for _, e := range p.Skeleton() {
		for _, f := range []graph.Edge{e, {From: e.To, To: e.From}} {
			if s.set.Forbidden(f.From, f.To) {
				p.Mark(f.To, f.From, graph.Arrow)
			}
		}
	}
	for _, e := range s.set.Required {
		if p.Adjacent(e.From, e.To) {
			p.Set(e.From, e.To, graph.Tail, graph.Arrow)
		}
	}
}

// rules returns the orientation rules with the separating sets found.
func (s *Search) rules() graph.Rules {
	return graph.Rules{Selection: s.set.Selection, MaxPath: s.set.MaxPath, Judge: func(path []int) graph.Verdict {
		last := len(path) - 1
		set, ok := s.sepset(path[0], path[last])
		if !ok {
			return graph.Undecided
		}
		if _, in := slices.BinarySearch(set, path[last-1]); in {
			return graph.NonCollider
		}
		return graph.Collider
	}}
}

// FCI sets the marks of the skeleton: unshielded colliders, prior knowledge, and the orientation rules. Colliders are decided by
// the set that separated the ends, or by the majority of separating neighbour sets, and in a tie by the former.
func (s *Search) FCI(ctx context.Context, rule Colliders) (*graph.PAG, error) {
	p := s.circles()
	s.unshielded(p)
	if rule == Majority {
		triples := s.triples()
		opinions, err := s.judge(ctx, triples, Majority)
		if err != nil {
			return nil, err
		}
		q := s.circles()
		for k, t := range triples {
			bySet := p.At(t.A, t.Mid) == graph.Arrow && p.At(t.B, t.Mid) == graph.Arrow
			if opinions[k] == collider || opinions[k] == ambiguous && bySet {
				q.Mark(t.A, t.Mid, graph.Arrow)
				q.Mark(t.B, t.Mid, graph.Arrow)
			}
		}
		p = q
	}
	s.know(p)
	p.Close(s.rules())
	return p, nil
}

// Legal returns the graph unchanged if it is a PAG, and otherwise the PAG of the nearest MAG that agrees with the prior knowledge.
// It passes an error on.
func (s *Search) Legal(p *graph.PAG, err error) (*Outcome, error) {
	if err != nil {
		return nil, err
	}
	if p.Legal() == nil && s.keeps(p) {
		return &Outcome{Graph: p.Mixed()}, nil
	}
	required := func(i, j int) bool { return s.must[pair(i, j)] }
	q := s.class(p.NearestMAG(required))
	if q.Legal() != nil || !s.keeps(q) {
		m := s.ordered(p)
		if q = s.class(m); q.Legal() != nil || !s.keeps(q) {
			q = m // directions that are possible but not certain
		}
	}
	out := &Outcome{Graph: q.Mixed()}
	for _, e := range q.Skeleton() {
		switch {
		case !p.Adjacent(e.From, e.To):
			out.Added = append(out.Added, e)
		case p.At(e.From, e.To) != q.At(e.From, e.To) || p.At(e.To, e.From) != q.At(e.To, e.From):
			out.Changed = append(out.Changed, e)
		}
	}
	for _, e := range p.Skeleton() {
		if !q.Adjacent(e.From, e.To) {
			out.Dropped = append(out.Dropped, e)
		}
	}
	return out, nil
}

// class returns the PAG of a MAG, with the marks of prior knowledge that the MAG has.
func (s *Search) class(m *graph.PAG) *graph.PAG {
	q := m.Class(s.set.Selection)
	s.know(q)
	q.Close(graph.Rules{Selection: s.set.Selection, Judge: func([]int) graph.Verdict { return graph.Undecided }})
	return q
}

// keeps reports whether a graph agrees with the prior knowledge.
func (s *Search) keeps(p *graph.PAG) bool {
	for _, e := range s.set.Required {
		if p.At(e.From, e.To) != graph.Arrow || p.At(e.To, e.From) != graph.Tail {
			return false
		}
	}
	for _, e := range p.Skeleton() {
		for _, f := range []graph.Edge{e, {From: e.To, To: e.From}} {
			if s.set.Forbidden(f.From, f.To) && p.At(f.To, f.From) != graph.Arrow {
				return false
			}
		}
		if s.apart(e.From, e.To) {
			return false
		}
	}
	return true
}

// ordered is the last resort: a DAG with the edges of p along an order that agrees with the required edges, without forbidden
// edges.
func (s *Search) ordered(p *graph.PAG) *graph.PAG {
	n := p.N()
	before := graph.New(n)
	for _, e := range s.set.Required {
		before.AddEdge(e.From, e.To)
	}
	for _, e := range p.Skeleton() { // a forbidden direction decides the order, unless that closes a cycle
		from, to := e.From, e.To
		if s.set.Forbidden(from, to) {
			from, to = to, from
		}
		if !s.set.Forbidden(from, to) && s.set.Forbidden(to, from) && !before.HasPath(to, from) {
			before.AddEdge(from, to)
		}
	}
	order, _ := before.Order() // it has no cycle
	out := graph.NewPAG(n)
	place := make([]int, n)
	for at, v := range order {
		place[v] = at
	}
	for _, e := range p.Skeleton() {
		from, to := e.From, e.To
		if place[from] > place[to] {
			from, to = to, from
		}
		if !s.set.Forbidden(from, to) {
			out.Set(from, to, graph.Tail, graph.Arrow)
		}
	}
	for _, e := range s.set.Required {
		out.Set(e.From, e.To, graph.Tail, graph.Arrow)
	}
	return out
}
