package graph

import "slices"

// A Verdict is the role of the middle node of a discriminating path.
type Verdict int

const (
	NonCollider Verdict = iota // the node is in the set that separates the ends
	Collider                   // the node is not in that set
	Withdrawn                  // a further test removed an edge of the path
	Undecided                  // unknown
)

// Rules are the orientation rules R1 to R10 of Zhang (2008), "On the completeness of orientation rules for causal
// discovery in the presence of latent confounders and selection bias".
type Rules struct {
	// Selection allows for selection bias. Without it R5, R6 and R7 are omitted, because only selection leads to undirected edges.
	Selection bool
	// MaxPath limits the number of edges of a discriminating path; 0 sets no limit.
	MaxPath int
	// Judge returns the role of β on the discriminating path θ … α, β, γ, which is passed from θ to γ. If it returns Withdrawn it
	// may have removed edges.
	Judge func(path []int) Verdict
}

// Close replaces circles by the marks that follow from the rules. It never changes other marks, so if tests contradict each other
// the first conclusion stays.
func (p *PAG) Close(r Rules) {
	for p.heads(r) || r.Selection && p.selection() || p.tails() {
	}
}

// heads applies R1 to R4 until nothing changes, and reports whether anything changed.
func (p *PAG) heads(r Rules) (changed bool) {
	for again := true; again; {
		again = false
		for b := range p.N() {
			for _, c := range p.near[b] {
				if p.At(c, b) == Circle && p.awayFromCollider(b, c) {
					again = true
				}
				if p.At(b, c) == Circle && (p.awayFromCycle(b, c) || p.doubleTriangle(b, c)) {
					p.Mark(b, c, Arrow)
					again = true
				}
			}
		}
		if !again {
			again = p.discriminate(r)
		}
		changed = changed || again
	}
	return changed
}

// awayFromCollider is R1: a *→ b o—* c with a, c not adjacent becomes b → c.
func (p *PAG) awayFromCollider(b, c int) bool {
	for _, a := range p.near[b] {
		if a != c && p.At(a, b) == Arrow && !p.Adjacent(a, c) {
			p.Mark(c, b, Tail)
			if p.At(b, c) == Circle {
				p.Mark(b, c, Arrow)
			}
			return true
		}
	}
	return false
}

// awayFromCycle is R2: a *—o c becomes a *→ c if a → b *→ c or a *→ b → c.
func (p *PAG) awayFromCycle(a, c int) bool {
	return slices.ContainsFunc(p.near[a], func(b int) bool {
		return p.At(a, b) == Arrow && p.At(b, c) == Arrow && (p.At(b, a) == Tail || p.At(c, b) == Tail)
	})
}

// doubleTriangle is R3: t *—o b becomes t *→ b if a *→ b ←* c, a *—o t o—* c, and a, c are not adjacent.
func (p *PAG) doubleTriangle(t, b int) bool {
	for k, a := range p.near[t] {
		if p.At(a, t) != Circle || p.At(a, b) != Arrow {
			continue
		}
		for _, c := range p.near[t][:k] {
			if p.At(c, t) == Circle && p.At(c, b) == Arrow && !p.Adjacent(a, c) {
				return true
			}
		}
	}
	return false
}

// discriminate is R4 for the first discriminating path found: b o—* c becomes b → c if b is in the set that separates the ends of
// the path, and otherwise a ↔ b ↔ c.
func (p *PAG) discriminate(r Rules) bool {
	for c := range p.N() {
		for _, b := range p.near[c] {
			if p.At(c, b) != Circle {
				continue
			}
			for _, a := range p.near[b] {
				if !p.directed(a, c) || p.At(b, a) != Arrow {
					continue
				}
				path := p.discriminating(a, b, c, r.MaxPath)
				if path == nil {
					continue
				}
				switch r.Judge(path) {
				case Undecided:
					continue
				case NonCollider:
					p.Mark(c, b, Tail)
					if p.At(b, c) == Circle {
						p.Mark(b, c, Arrow)
					}
				case Collider:
					p.Mark(c, b, Arrow)
					for _, e := range []Edge{{b, c}, {a, b}} {
						if p.At(e.From, e.To) == Circle {
							p.Mark(e.From, e.To, Arrow)
						}
					}
				case Withdrawn:
				}
				return true
			}
		}
	}
	return false
}

// discriminating returns a shortest discriminating path for b that ends in a, b, c, or nil: every node between the
// first and b is a collider on it and a parent of c, and the first is not adjacent to c. a is a parent of c with an
// arrowhead from b.
func (p *PAG) discriminating(a, b, c, maxPath int) []int {
	next := map[int]int{a: b, b: -1, c: -1}
	length := map[int]int{a: 2}
	for queue := []int{a}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		if maxPath > 0 && length[v] >= maxPath {
			continue
		}
		for _, u := range p.near[v] {
			if _, seen := next[u]; seen || p.At(u, v) != Arrow {
				continue
			}
			if !p.Adjacent(u, c) {
				path := []int{u}
				for ; v != b; v = next[v] {
					path = append(path, v)
				}
				return append(path, b, c)
			}
			if p.At(v, u) == Arrow && p.directed(u, c) {
				next[u], length[u] = v, length[v]+1
				queue = append(queue, u)
			}
		}
	}
	return nil
}

// selection applies R5, R6 and R7 once and reports whether anything changed.
func (p *PAG) selection() (changed bool) {
	circle := func(u, v int) bool { return p.At(u, v) == Circle && p.At(v, u) == Circle }
	for a := range p.N() {
		for _, b := range p.near[a] {
			if a > b || !circle(a, b) {
				continue
			}
			// R5: an uncovered circle path from a to b whose inner ends are not adjacent to the opposite ends.
			for _, c := range p.near[a] {
				if c == b || !circle(a, c) || p.Adjacent(c, b) {
					continue
				}
				path := p.uncovered(a, c, b, circle, func(last int) bool { return !p.Adjacent(last, a) })
				if path == nil {
					continue
				}
				p.Set(a, b, Tail, Tail)
				for k := range path[1:] {
					p.Set(path[k], path[k+1], Tail, Tail)
				}
				changed = true
				break
			}
		}
	}
	for b := range p.N() {
		for _, c := range p.near[b] {
			if p.At(c, b) != Circle {
				continue
			}
			for _, a := range p.near[b] {
				undirected := p.At(a, b) == Tail && p.At(b, a) == Tail                            // R6
				half := p.At(b, a) == Tail && p.At(a, b) == Circle && !p.Adjacent(a, c) && a != c // R7
				if undirected || half {
					p.Mark(c, b, Tail)
					changed = true
					break
				}
			}
		}
	}
	return changed
}

// tails applies R8, R9 and R10 once and reports whether anything changed: a o→ c becomes a → c.
func (p *PAG) tails() (changed bool) {
	for a := range p.N() {
		for _, c := range p.near[a] {
			if p.At(a, c) == Arrow && p.At(c, a) == Circle && (p.passes(a, c) || p.around(a, c) || p.between(a, c)) {
				p.Mark(c, a, Tail)
				changed = true
			}
		}
	}
	return changed
}

// passes is R8: a → b → c or a —o b → c.
func (p *PAG) passes(a, c int) bool {
	return slices.ContainsFunc(p.near[a], func(b int) bool {
		return p.At(b, a) == Tail && (p.At(a, b) == Arrow || p.At(a, b) == Circle) && p.directed(b, c)
	})
}

// forward reports whether the marks allow u → v.
func (p *PAG) forward(u, v int) bool { return p.At(v, u) != Arrow && p.At(u, v) != Tail }

func always(int) bool { return true }

// around is R9: an uncovered potentially directed path leads from a to c through a node that is not adjacent to c.
func (p *PAG) around(a, c int) bool {
	return slices.ContainsFunc(p.near[a], func(b int) bool {
		return b != c && p.forward(a, b) && !p.Adjacent(b, c) && p.uncovered(a, b, c, p.forward, always) != nil
	})
}

// between is R10: b → c ← t, and uncovered potentially directed paths lead from a to b and from a to t, with distinct nonadjacent
// first steps.
func (p *PAG) between(a, c int) bool {
	var parents []int
	for _, b := range p.near[c] {
		if b != a && p.directed(b, c) {
			parents = append(parents, b)
		}
	}
	if len(parents) < 2 {
		return false
	}
	var first []int
	reach := map[int][]bool{}
	for _, m := range p.near[a] {
		if m == c || !p.forward(a, m) {
			continue
		}
		to := make([]bool, len(parents))
		some := false
		for k, b := range parents {
			to[k] = m == b || p.uncovered(a, m, b, p.forward, always) != nil
			some = some || to[k]
		}
		if !some {
			continue
		}
		for _, o := range first {
			if p.Adjacent(m, o) {
				continue
			}
			for i, x := range reach[o] {
				for j, y := range to {
					if x && y && i != j {
						return true
					}
				}
			}
		}
		first, reach[m] = append(first, m), to
	}
	return false
}

// mostSteps limits the search for one uncovered path, because a dense graph may have exponentially many. If the limit is reached, a
// circle may remain in place of a tail.
const mostSteps = 100_000

// uncovered returns a path a, b, …, c on which step holds for each edge, every triple is unshielded and last holds for the node
// before c; nil if there is none.
func (p *PAG) uncovered(a, b, c int, step func(u, v int) bool, last func(v int) bool) []int {
	if !p.walks(a, b, c, step, last) {
		return nil
	}
	path := []int{a, b}
	on := map[int]bool{a: true, b: true}
	left := mostSteps
	var extend func() bool
	extend = func() bool {
		u, v := path[len(path)-2], path[len(path)-1]
		if left--; left < 0 {
			return false
		}
		if p.Adjacent(v, c) && step(v, c) && !p.Adjacent(u, c) && last(v) {
			path = append(path, c)
			return true
		}
		for _, w := range p.near[v] {
			if on[w] || w == c || !step(v, w) || p.Adjacent(u, w) {
				continue
			}
			path, on[w] = append(path, w), true
			if extend() {
				return true
			}
			path = path[:len(path)-1]
			delete(on, w)
		}
		return false
	}
	if extend() {
		return path
	}
	return nil
}

// walks reports whether uncovered would find a path if nodes could repeat. It takes linear time and usually rules a path out.
func (p *PAG) walks(a, b, c int, step func(u, v int) bool, last func(v int) bool) bool {
	seen := map[Edge]bool{{a, b}: true}
	for queue := []Edge{{a, b}}; len(queue) > 0; queue = queue[1:] {
		u, v := queue[0].From, queue[0].To
		for _, w := range p.near[v] {
			e := Edge{v, w}
			if seen[e] || w == a || !step(v, w) || p.Adjacent(u, w) || w == c && !last(v) {
				continue
			}
			if w == c {
				return true
			}
			seen[e] = true
			queue = append(queue, e)
		}
	}
	return false
}
