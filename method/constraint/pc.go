package constraint

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
)

// Colliders is the rule that decides whether an unshielded triple a — b — c is a collider.
type Colliders string

const (
	// BySepset requires that b is not in the set that separated a and c.
	BySepset Colliders = "sepset"
	// Conservative requires that b is in none of the sets of neighbours of a or c that separate them (Ramsey, Zhang and Spirtes
	// 2006).
	Conservative Colliders = "conservative"
	// Majority requires that b is in less than half of them (Colombo and Maathuis 2014).
	Majority Colliders = "majority"
)

// A Triple is A — Mid — B with A < B and no edge between A and B.
type Triple = graph.VStructure

// Outcome is the oriented graph with its conflicts.
type Outcome struct {
	Graph *graph.Mixed
	// Conflicts are triples whose orientation contradicts others or prior knowledge.
	Conflicts []Triple
	// Ambiguous are triples that some separating sets make a collider and others do not.
	Ambiguous []Triple
	// Changed are the edges with a changed mark and Added the inserted edges, to make the graph valid.
	Changed, Added []graph.Edge
	// Dropped are edges without a possible direction: prior knowledge forbids one, and the other closes a cycle.
	Dropped []graph.Edge
}

// triples returns the unshielded triples, by Mid, A and B.
func (s *Search) triples() (out []Triple) {
	for b, near := range s.state.Near {
		for k, a := range near {
			for _, c := range near[k+1:] {
				if !s.adjacent(a, c) {
					out = append(out, Triple{A: a, Mid: b, B: c})
				}
			}
		}
	}
	return out
}

// opinion is the decision on a triple.
type opinion uint8

const (
	unknown opinion = iota
	collider
	nonCollider
	ambiguous
)

// judge decides on every unshielded triple. When the context ends it returns its error.
func (s *Search) judge(ctx context.Context, triples []Triple, rule Colliders) ([]opinion, error) {
	out := make([]opinion, len(triples))
	err := s.parallel(ctx, len(triples), func(w independence.Test, k int, few *bool) error {
		t := triples[k]
		if s.set.Given != nil && !s.set.Given(t.Mid) {
			out[k] = nonCollider
			return nil
		}
		set, ok := s.sepset(t.A, t.B)
		if !ok {
			return nil
		}
		_, in := slices.BinarySearch(set, t.Mid)
		with, all := 0, 1
		if in {
			with = 1
		}
		if rule != BySepset {
			var err error
			if with, all, err = s.count(ctx, w, t, set, few); err != nil {
				return err
			}
		}
		switch {
		case with == 0 || rule == Majority && 2*with < all:
			out[k] = collider
		case with == all || rule == Majority && 2*with > all:
			out[k] = nonCollider
		default:
			out[k] = ambiguous
		}
		return nil
	})
	return out, err
}

// count returns how many sets of neighbours of an end of a triple separate the ends, including the one found first, and how many of
// them contain the middle node.
func (s *Search) count(ctx context.Context, w independence.Test, t Triple, first []int, few *bool) (with, all int, err error) {
	seen := func(set []int) {
		all++
		if _, ok := slices.BinarySearch(set, t.Mid); ok {
			with++
		}
	}
	seen(first)
	lists := [][]int{s.givens(t.A), s.givens(t.B)}
	asked := 0
	for k, list := range lists {
		for size := 0; size <= len(list) && (s.set.MaxGiven < 0 || size <= s.set.MaxGiven); size++ {
			subsets(list, size, func(set []int) bool {
				if k == 1 && within(set, lists[0]) || slices.Equal(set, first) {
					return true
				}
				if asked++; asked%256 == 0 && ctx.Err() != nil {
					err = ctx.Err()
					return false
				}
				var independent bool
				if independent, err = s.independent(w, t.A, t.B, set, few); independent {
					seen(set)
				}
				return err == nil
			})
			if err != nil {
				return 0, 0, err
			}
		}
	}
	return with, all, nil
}

// PC directs the edges of the skeleton: prior knowledge first, then colliders, then Meek's rules. An edge with contradictory
// directions stays undirected, and so do colliders that close a directed cycle and edges whose direction by the rules would; all
// are conflicts. The graph is a CPDAG if it is valid, and otherwise a PDAG.
func (s *Search) PC(ctx context.Context, rule Colliders) (*Outcome, error) {
	triples := s.triples()
	opinions, err := s.judge(ctx, triples, rule)
	if err != nil {
		return nil, err
	}
	d := len(s.state.Near)
	p, open := graph.NewPDAG(d), map[graph.Edge]bool{}
	wanted := map[graph.Edge]bool{}
	out := &Outcome{}
	for k, t := range triples {
		switch opinions[k] {
		case collider:
			wanted[graph.Edge{From: t.A, To: t.Mid}], wanted[graph.Edge{From: t.B, To: t.Mid}] = true, true
		case ambiguous:
			out.Ambiguous = append(out.Ambiguous, t)
		case unknown, nonCollider:
		}
	}
	for x, near := range s.state.Near {
		for _, y := range near {
			if x > y {
				continue
			}
			there, back := wanted[graph.Edge{From: x, To: y}], wanted[graph.Edge{From: y, To: x}]
			switch {
			case s.set.Forbidden(y, x):
				p.SetDirected(x, y)
			case s.set.Forbidden(x, y):
				p.SetDirected(y, x)
			case there && !back:
				p.SetDirected(x, y)
			case back && !there:
				p.SetDirected(y, x)
			default:
				p.SetUndirected(x, y)
				open[graph.Edge{From: x, To: y}] = there && back
			}
		}
	}
	unsure := map[Triple]bool{}
	for k, t := range triples {
		unsure[t] = opinions[k] == ambiguous || opinions[k] == unknown
	}
	out.Dropped = s.openCycles(p)
	p.CloseBut(graph.Doubt{
		Edge:   func(x, y int) bool { return open[pair(x, y)] || leads(p, y, x) },
		Triple: func(a, b, c int) bool { return unsure[Triple{A: min(a, c), Mid: b, B: max(a, c)}] },
	})
	for k, t := range triples {
		is := p.HasDirected(t.A, t.Mid) && p.HasDirected(t.B, t.Mid)
		if opinions[k] == collider && !is || opinions[k] == nonCollider && is {
			out.Conflicts = append(out.Conflicts, t)
		}
	}
	if out.Graph = p.Mixed(); out.Graph.Check() != nil {
		out.Graph = out.Graph.As(graph.KindPDAG)
		if err := out.Graph.Check(); err != nil {
			return nil, fmt.Errorf("the graph that the tests lead to: %w", err)
		}
	}
	return out, nil
}

// leads reports whether a directed path leads from x to y.
func leads(p *graph.PDAG, x, y int) bool {
	seen := map[int]bool{x: true}
	for stack := []int{x}; len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v == y {
			return true
		}
		for _, c := range p.Children(v) {
			if !seen[c] {
				seen[c] = true
				stack = append(stack, c)
			}
		}
	}
	return false
}

// openCycles undirects the edges on directed cycles, except those that prior knowledge directs. If these form a cycle, its last
// edge that is not required is dropped.
func (s *Search) openCycles(p *graph.PDAG) (dropped []graph.Edge) {
	for {
		g, _ := graph.FromEdges(p.N(), p.DirectedEdges()) // both have the same nodes
		components := g.CyclicComponents()
		if len(components) == 0 {
			return dropped
		}
		for _, component := range components {
			opened := false
			var last graph.Edge
			for _, v := range component {
				for _, u := range component {
					switch {
					case v == u || !p.HasDirected(v, u):
					case !s.set.Forbidden(u, v):
						p.SetUndirected(v, u)
						opened = true
					case !s.must[pair(v, u)]:
						last = graph.Edge{From: v, To: u}
					}
				}
			}
			if !opened {
				p.Remove(last.From, last.To)
				dropped = append(dropped, last)
			}
		}
	}
}

// Joined returns the remaining edges of a stopped search without informative marks: circles in a PAG, and otherwise undirected
// edges of a PDAG. Required edges are directed.
func (s *Search) Joined(kind graph.Kind) *graph.Mixed {
	mark := graph.Circle
	if kind != graph.KindPAG {
		kind, mark = graph.KindPDAG, graph.Tail
	}
	m := graph.NewMixed(kind, s.test.Columns())
	for x, near := range s.state.Near {
		for _, y := range near {
			if x < y {
				m.Set(graph.MarkedEdge{Edge: graph.Edge{From: x, To: y}, AtFrom: mark, AtTo: mark})
			}
		}
	}
	for _, e := range s.set.Required {
		m.Set(graph.MarkedEdge{Edge: e, AtFrom: graph.Tail, AtTo: graph.Arrow})
	}
	return m
}
