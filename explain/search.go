package explain

import "slices"

// A kind is a type of path between two nodes.
type kind int

const (
	directed kind = iota // every arrow forwards
	open                 // first arrow backwards, no collider: up to a common cause (or to the end), then down
	closed               // first arrow backwards, at least one collider
)

// far is the distance of an unreachable node.
const far = int(^uint(0) >> 2)

// A search lists simple paths, shortest first, those of one length in node order. It uses iterative deepening with a lower bound on
// the remaining length. The number of paths can grow exponentially with the graph, so the number of steps is limited.
type search struct {
	m        *Model
	kind     kind
	to       int
	list     int    // number of paths to keep
	steps    int    // edges left to try
	down, up []int  // lower bounds on the remaining length, after a step along an arrow and against one
	path     []int  // nodes
	forward  []bool // arrow k is path[k] → path[k+1]
	on       []bool // node is on the path
	count    int    // paths found
	kept     []walk // the first paths found
	length   int    // current path length in edges
	pruned   bool   // a longer path may exist
}

// A walk is a path by nodes and arrows.
type walk struct {
	nodes   []int
	forward []bool
}

// find returns up to list paths, their number, and whether that number is complete; it is a lower bound if the step limit was
// reached.
func (m *Model) find(k kind, from, to, list, steps int) (kept []walk, count int, complete bool) {
	s := &search{m: m, kind: k, to: to, list: list, steps: steps, on: make([]bool, len(m.names))}
	s.bounds(from)
	s.path = append(s.path, from)
	s.on[from] = true
	for s.length = 1; s.length < len(m.names); s.length++ {
		s.pruned = false
		s.extend(0)
		if s.steps < 0 {
			return s.kept, s.count, false
		}
		if !s.pruned {
			break
		}
	}
	return s.kept, s.count, true
}

// bounds computes the smallest number of edges to the end for the arrows that the kind allows, without passing through from.
func (s *search) bounds(from int) {
	g, n := s.m.graph, len(s.m.names)
	s.down, s.up = make([]int, n), make([]int, n)
	for v := range n {
		s.down[v], s.up[v] = far, far
	}
	if s.kind == closed {
		s.down[s.to] = 0
		for queue := []int{s.to}; len(queue) > 0; queue = queue[1:] {
			v := queue[0]
			for _, list := range [][]int{g.Parents(v), g.Children(v)} {
				for _, u := range list {
					if u != from && s.down[u] == far {
						s.down[u] = s.down[v] + 1
						queue = append(queue, u)
					}
				}
			}
		}
		s.up = s.down
		return
	}
	for _, v := range slices.Backward(s.m.order) {
		if v == s.to {
			s.down[v] = 0
		}
		for _, c := range g.Children(v) {
			if c != from {
				s.down[v] = min(s.down[v], s.down[c]+1)
			}
		}
	}
	for _, v := range s.m.order {
		s.up[v] = s.down[v]
		for _, p := range g.Parents(v) {
			if p != from {
				s.up[v] = min(s.up[v], s.up[p]+1)
			}
		}
	}
}

// extend tries every step from the end of the path. colliders is the number of colliders on it so far.
func (s *search) extend(colliders int) {
	at := s.path[len(s.path)-1]
	first := len(s.path) == 1
	fell := !first && s.forward[len(s.forward)-1] // arrived along an arrow
	if s.kind != directed && !(fell && s.kind == open) {
		extra := 0
		if fell {
			extra = 1
		}
		for _, p := range s.m.graph.Parents(at) {
			s.step(p, false, s.up[p], colliders+extra)
		}
	}
	if s.kind == directed || !first {
		for _, c := range s.m.graph.Children(at) {
			s.step(c, true, s.down[c], colliders)
		}
	}
}

func (s *search) step(v int, forward bool, left, colliders int) {
	if s.on[v] || left >= far || s.steps < 0 {
		return
	}
	if len(s.path)+left > s.length { // len(s.path) edges with this one
		s.pruned = true
		return
	}
	s.steps--
	s.path, s.forward = append(s.path, v), append(s.forward, forward)
	if v != s.to {
		s.on[v] = true
		s.extend(colliders)
		s.on[v] = false
	} else if len(s.forward) == s.length && (s.kind != closed || colliders > 0) {
		s.count++
		if len(s.kept) < s.list {
			s.kept = append(s.kept, walk{slices.Clone(s.path), slices.Clone(s.forward)})
		}
	}
	s.path, s.forward = s.path[:len(s.path)-1], s.forward[:len(s.forward)-1]
}
