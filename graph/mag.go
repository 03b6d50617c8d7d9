package graph

import (
	"fmt"
	"slices"
)

// LatentMAG returns the maximal ancestral graph of a DAG with hidden nodes and nodes selected on. It represents the conditional
// independences of the other nodes, given the selected ones, and their ancestral relations (Richardson and Spirtes 2002, "Ancestral
// graph Markov models"). Node k of the MAG is node observed[k] of g, in ascending order.
//
// Two nodes x, y are adjacent exactly if the observed ancestors of x, y and the selected nodes do not separate them, and the mark
// at x is a tail exactly if x is an ancestor of y or of a selected node. O(n²·(n + edges)). The error is a *CycleError if g is not
// a DAG.
func LatentMAG(g *Graph, hidden, selected []int) (mag *PAG, observed []int, err error) {
	if _, err := g.Order(); err != nil {
		return nil, nil, err
	}
	for v := range g.N() {
		if !slices.Contains(hidden, v) && !slices.Contains(selected, v) {
			observed = append(observed, v)
		}
	}
	mag = NewPAG(len(observed))
	for j, y := range observed {
		for i, x := range observed[:j] {
			above := g.Ancestors(append([]int{x, y}, selected...))
			set := slices.Clone(selected)
			for _, v := range observed {
				if above[v] && v != x && v != y {
					set = append(set, v)
				}
			}
			if g.DSeparated([]int{x}, []int{y}, set) {
				continue
			}
			mark := func(v, other int) Mark {
				if g.Ancestors(append([]int{other}, selected...))[v] {
					return Tail
				}
				return Arrow
			}
			mag.Set(i, j, mark(x, y), mark(y, x))
		}
	}
	return mag, observed, nil
}

// MSeparated reports whether the given nodes m-separate x and y in a MAG: every path between them has a collider that is not an
// ancestor of a given node, or a noncollider that is given. x and y must differ and not be given. O(n + edges·degree).
func (p *PAG) MSeparated(x, y int, given []int) bool {
	inSet := make([]bool, p.N())
	for _, v := range given {
		inSet[v] = true
	}
	above := p.Directed().Ancestors(given)
	type arrival struct {
		node int
		head bool // reached through an arrowhead at the node
	}
	seen := map[arrival]bool{}
	var stack []arrival
	enter := func(from, to int) {
		a := arrival{to, p.At(from, to) == Arrow}
		if !seen[a] {
			seen[a] = true
			stack = append(stack, a)
		}
	}
	for _, v := range p.near[x] {
		enter(x, v)
	}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		v := at.node
		if v == y {
			return false
		}
		for _, w := range p.near[v] {
			collider := at.head && p.At(w, v) == Arrow
			if collider && above[v] || !collider && !inSet[v] {
				enter(v, w)
			}
		}
	}
	return true
}

// CheckMAG returns an error if p is not a maximal ancestral graph: it has a circle, a directed cycle, an arrowhead at an ancestor
// of the other end, an arrowhead at an end of an undirected edge, or a nonadjacent pair that no set separates. The error is a
// *CycleError or matches ErrKind.
func (p *PAG) CheckMAG() error {
	for _, e := range p.Skeleton() {
		if p.At(e.From, e.To) == Circle || p.At(e.To, e.From) == Circle {
			return fmt.Errorf("%w: %d and %d are joined by an edge with a circle, and a MAG has none", ErrKind, e.From, e.To)
		}
	}
	if _, err := p.Directed().Order(); err != nil {
		return err
	}
	if err := p.Mixed().checkAncestral(); err != nil {
		return err
	}
	if v, ok := p.headAtUndirected(); ok {
		return fmt.Errorf("%w: node %d has an undirected edge and an arrowhead", ErrKind, v)
	}
	if missing := p.induced(); len(missing) > 0 {
		return fmt.Errorf("%w: no edge joins %d and %d, and no set separates them", ErrKind, missing[0].From, missing[0].To)
	}
	return nil
}

// headAtUndirected returns a node with an undirected edge and an arrowhead.
func (p *PAG) headAtUndirected() (int, bool) {
	for v, near := range p.near {
		undirected, head := false, false
		for _, u := range near {
			head = head || p.At(u, v) == Arrow
			undirected = undirected || p.At(u, v) == Tail && p.At(v, u) == Tail
		}
		if undirected && head {
			return v, true
		}
	}
	return 0, false
}

// induced returns the nonadjacent pairs with an inducing path: every inner node is a collider and an ancestor of an end. No set
// separates such a pair. Inner nodes are joined by ↔, so the search visits only nodes with such edges.
func (p *PAG) induced() []Edge {
	var pairs []Edge
	directed := p.Directed()
	for x := range p.N() {
		first := p.beyond(x, nil)
		for y, reached := range first {
			if !reached || y <= x || p.Adjacent(x, y) {
				continue
			}
			if p.beyond(x, directed.Ancestors([]int{x, y}))[y] {
				pairs = append(pairs, Edge{x, y})
			}
		}
	}
	return pairs
}

// beyond returns the nodes that are reached from x by paths whose inner nodes are colliders in set; nil means all nodes.
func (p *PAG) beyond(x int, set []bool) map[int]bool {
	reached, inner := map[int]bool{}, map[int]bool{}
	stack := []int{}
	enter := func(from, v int) {
		if p.At(from, v) == Arrow && v != x && !inner[v] && (set == nil || set[v]) {
			inner[v] = true
			stack = append(stack, v)
		}
	}
	for _, v := range p.near[x] {
		enter(x, v)
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, w := range p.near[v] {
			if p.At(w, v) != Arrow {
				continue
			}
			if w != x {
				reached[w] = true
			}
			enter(v, w)
		}
	}
	return reached
}
