package graph

import (
	"errors"
	"fmt"
	"slices"
)

// An Adjustment says how the total effect of a node x on a node y follows from the observed nodes in some of the graphs that a PAG
// represents.
type Adjustment struct {
	// Path is false if x is not a cause of y in any of these graphs. The effect is then 0.
	Path bool
	// First are the nodes v of edges x → v that start a possibly directed path to y. Hidden are those whose edge is not visible: a
	// hidden common cause of x and v is possible, and with it the effect is not identified. The set applies to graphs without it.
	First, Hidden []int
	// Exists reports whether a set identifies the effect, and Set is a minimal one, sorted.
	Exists bool
	Set    []int
}

// Identifies reports whether the adjustment gives the effect in all of its graphs.
func (a Adjustment) Identifies() bool { return !a.Path || a.Exists && len(a.Hidden) == 0 }

// ErrManyGraphs is matched by the error of Adjustments if there are too many graphs to visit.
var ErrManyGraphs = errors.New("too many graphs have these edges with circles")

// Adjustments lists how the total effect of x on y follows from the observed nodes in the MAGs that a PAG without selection
// represents. If the PAG itself has an adjustment set, the list has one entry: the generalized adjustment criterion (Perković,
// Textor, Kalisch and Maathuis 2018) requires that every possibly directed path from x to y starts with a visible edge, and that
// the possible ancestors of x and y that are not forbidden block all other paths. Otherwise circles are replaced by marks, those at x
// first, until each graph has a set or no circle is left (as in LV-IDA: Malinsky and Spirtes 2017).
//
// The error matches ErrKind if p is not a PAG without selection, and ErrManyGraphs after visiting most graphs.
func (p *PAG) Adjustments(x, y, most int) ([]Adjustment, error) {
	for _, e := range p.Mixed().Edges() {
		if e.AtTo == Tail {
			return nil, fmt.Errorf("%w: %d %s %d says that rows were selected", ErrKind, e.From, e.Symbol(), e.To)
		}
	}
	if err := p.Legal(); err != nil {
		return nil, err
	}
	base := p.Member()
	s := &adjusting{x: x, y: y, left: most, base: base, class: base.Class(false)}
	if err := s.visit(p); err != nil {
		return nil, err
	}
	if len(s.out) == 0 {
		return nil, fmt.Errorf("%w: no MAG has these marks", ErrKind)
	}
	return s.out, nil
}

// adjusting has the state of Adjustments.
type adjusting struct {
	x, y, left int
	base       *PAG // a MAG of the class
	class      *PAG
	out        []Adjustment
}

// visit adds the adjustments of the MAGs of the class with the marks of p.
func (s *adjusting) visit(p *PAG) error {
	if s.left--; s.left < 0 {
		return ErrManyGraphs
	}
	if p.Mixed().Check() != nil {
		return nil
	}
	i, j, open := p.nextCircle(s.x)
	member := p.Member()
	a, decided := p.adjustment(member, s.x, s.y)
	if (decided || !open) && member.CheckMAG() == nil && member.Class(false).Equal(s.class) {
		if !slices.ContainsFunc(s.out, func(b Adjustment) bool {
			return a.Path == b.Path && a.Exists == b.Exists && slices.Equal(a.Set, b.Set) && slices.Equal(a.Hidden, b.Hidden)
		}) {
			s.out = append(s.out, a)
		}
		return nil
	}
	if !open {
		return nil
	}
	for _, mark := range []Mark{Tail, Arrow} {
		q := p.Clone()
		if q.Mark(i, j, mark); mark == Tail {
			q.Mark(j, i, Arrow)
		}
		q.Close(Rules{Judge: s.judge})
		if err := s.visit(q); err != nil {
			return err
		}
	}
	return nil
}

// judge decides the role of a node on a discriminating path, which is the same in all MAGs of the class that have the path: it is in
// the sets that separate the ends, and one of these is the set of their ancestors.
func (s *adjusting) judge(path []int) Verdict {
	if s.base.Directed().Ancestors([]int{path[0], path[len(path)-1]})[path[len(path)-2]] {
		return NonCollider
	}
	return Collider
}

// nextCircle returns an edge i, j with a circle at j; j is x if possible.
func (p *PAG) nextCircle(x int) (i, j int, ok bool) {
	for k := range p.N() {
		j = (x + k) % p.N()
		for _, i := range p.near[j] {
			if p.At(i, j) == Circle {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// adjustment applies the criterion to p, of which member is a MAG. decided is false if further marks may change the answer.
func (p *PAG) adjustment(member *PAG, x, y int) (a Adjustment, decided bool) {
	after, before := p.possible([]int{x}, x, false), p.possible([]int{y}, x, true)
	if !after[y] {
		return Adjustment{}, true
	}
	a.Path, decided = true, true
	var on []int // nodes of possibly directed paths from x to y, without x
	cut := member.Clone()
	for v := range p.N() {
		if v == x || !after[v] || !before[v] {
			continue
		}
		on = append(on, v)
		if p.Adjacent(x, v) && p.At(v, x) != Arrow {
			decided = decided && p.directed(x, v)
			a.First = append(a.First, v)
			if !p.Visible(x, v) {
				a.Hidden = append(a.Hidden, v)
			}
			if member.directed(x, v) {
				cut.Remove(x, v)
			}
		}
	}
	if !decided {
		return a, false
	}
	forbidden, above := p.possible(on, -1, false), p.possible([]int{x, y}, -1, true)
	for v := range p.N() {
		if v != x && v != y && above[v] && !forbidden[v] {
			a.Set = append(a.Set, v)
		}
	}
	// Without visible edges, one MAG does not answer for the others, and all marks that the circles may be have to be considered.
	blocks := func(set []int) bool { return cut.MSeparated(x, y, set) }
	if len(a.Hidden) > 0 {
		blocks = func(set []int) bool { return p.blocks(x, y, set, cut.near[x]) }
	}
	if !blocks(a.Set) {
		a.Set = nil
		return a, false
	}
	a.Exists = true
	for k := 0; k < len(a.Set); {
		if less := slices.Delete(slices.Clone(a.Set), k, k+1); blocks(less) {
			a.Set = less
		} else {
			k++
		}
	}
	return a, true
}

// possible returns the nodes that possibly directed paths reach from some nodes or, backwards, that reach them. No path enters the
// node called without, unless it starts there.
func (p *PAG) possible(from []int, without int, backwards bool) []bool {
	seen := make([]bool, p.N())
	stack := slices.Clone(from)
	for _, v := range from {
		seen[v] = true
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, w := range p.near[v] {
			tail := p.At(w, v) // the mark at the start of the edge
			if backwards {
				tail = p.At(v, w)
			}
			if !seen[w] && w != without && tail != Arrow {
				seen[w] = true
				stack = append(stack, w)
			}
		}
	}
	return seen
}

// blocks reports whether a set blocks all paths from x to y that start with an edge to one of the first nodes, whatever marks the
// circles are. A node between nonadjacent neighbours is a collider only if both marks are arrowheads. O(edges·degree).
func (p *PAG) blocks(x, y int, set, first []int) bool {
	above := p.possible(set, -1, true)
	seen := map[Edge]bool{}
	var stack []Edge
	enter := func(e Edge) {
		if !seen[e] && e.To != x {
			seen[e] = true
			stack = append(stack, e)
		}
	}
	for _, v := range first {
		enter(Edge{x, v})
	}
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		u, v := e.From, e.To
		if v == y {
			return false
		}
		for _, w := range p.near[v] {
			in, out := p.At(u, v), p.At(w, v)
			sure := in == Arrow && out == Arrow
			collider := sure || in != Tail && out != Tail && (u == w || p.Adjacent(u, w))
			if collider && above[v] || !sure && !slices.Contains(set, v) {
				enter(Edge{v, w})
			}
		}
	}
	return true
}

// Visible reports whether i → j is an edge of p and no hidden common cause of i and j is possible in any graph that p represents
// (Zhang 2008, "Causal reasoning with ancestral graphs", Definitions 8 and 10). This needs a node that is not adjacent to j and
// either has an edge with an arrowhead at i, or starts a path into i on which every inner node is a collider and a parent of j.
// O(edges).
func (p *PAG) Visible(i, j int) bool {
	if !p.directed(i, j) {
		return false
	}
	seen := map[int]bool{i: true, j: true}
	for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		for _, u := range p.near[v] {
			if seen[u] || p.At(u, v) != Arrow {
				continue
			}
			if !p.Adjacent(u, j) {
				return true
			}
			if p.At(v, u) == Arrow && p.directed(u, j) {
				seen[u] = true
				queue = append(queue, u)
			}
		}
	}
	return false
}
