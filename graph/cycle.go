package graph

// cycleSearchLimit limits the edges that ShortestCycle visits, about 0.1 s. It is a count and not a time so that the result depends
// only on the graph.
const cycleSearchLimit = 10_000_000

// ShortestCycle returns a cycle with the fewest nodes, in the form of CycleError.Cycle and starting from its smallest node, or nil
// for a DAG. Among cycles of the same length it prefers the smallest first node.
//
// Self-loops and pairs i ⇄ j are found in O(n + edges · log n). Otherwise it is a breadth-first search from each node of a cyclic
// component, limited to the length of the best cycle so far: at worst O(n · edges). After cycleSearchLimit edges it returns the
// best cycle so far, which may not be the shortest.
func (g *Graph) ShortestCycle() []int {
	for v := range g.children {
		if g.HasEdge(v, v) {
			return []int{v}
		}
	}
	for i, children := range g.children {
		for _, j := range children {
			if j > i && g.HasEdge(j, i) {
				return []int{i, j}
			}
		}
	}
	s := cycleSearch{
		g:         g,
		component: make([]int, g.N()),
		from:      make([]int, g.N()),
		depth:     make([]int, g.N()),
		mark:      make([]int, g.N()),
	}
	cyclic := g.CyclicComponents()
	for k, c := range cyclic {
		for _, v := range c {
			s.component[v] = k + 1
		}
	}
	// Each cycle is found from its smallest node, so a search can ignore smaller nodes.
	var best []int
	for v := range g.N() {
		if s.component[v] == 0 || s.work > cycleSearchLimit && best != nil {
			continue
		}
		if c := s.through(v, len(best)); c != nil {
			best = c
		}
		if len(best) == 3 { // one and two were excluded above
			break
		}
	}
	return best
}

// A cycleSearch has the buffers of breadth-first searches in one graph.
type cycleSearch struct {
	g         *Graph
	component []int // 0 if on no cycle
	from      []int // predecessor on the path from the start
	depth     []int // edges from the start
	mark      []int // start + 1 of the last search that visited the node
	queue     []int
	work      int // edges visited
}

// through returns a shortest cycle whose smallest node is start, or nil if none is shorter than limit (0 for no limit).
func (s *cycleSearch) through(start, limit int) []int {
	s.queue = append(s.queue[:0], start)
	s.mark[start] = start + 1
	s.depth[start] = 0
	for k := 0; k < len(s.queue); k++ {
		v := s.queue[k]
		if limit > 0 && s.depth[v]+1 >= limit {
			return nil
		}
		s.work += len(s.g.children[v])
		for _, c := range s.g.children[v] {
			if c == start {
				cycle := make([]int, s.depth[v]+1)
				for at := s.depth[v]; at >= 0; at-- {
					cycle[at] = v
					v = s.from[v]
				}
				return cycle
			}
			if c < start || s.component[c] != s.component[start] || s.mark[c] == start+1 {
				continue
			}
			s.mark[c] = start + 1
			s.from[c] = v
			s.depth[c] = s.depth[v] + 1
			s.queue = append(s.queue, c)
		}
	}
	return nil
}
