package acyclic

import "github.com/polydag/polydag/matrix"

// A closed walk stays in one strongly connected component. So tr(Aᵏ) is a sum over components, an edge between two of them
// enters no trace, and no function of traces has a gradient there. A DAG has no component with an edge in it: its value is an
// exact zero after O(d² + nnz) reads, whatever its weights are.

// components finds the strongly connected components of the support of a W. It keeps its memory between calls.
type components struct {
	start []int32 // the edges of node i are to[start[i]:start[i+1]]
	to    []int32

	of    []int32 // the component of each node, numbered as they are found
	nodes []int32 // the nodes of the components that have a cycle, one component after the other, each in rising order
	ends  []int32 // where each of those ends in nodes
	place []int32 // the place of a node within its component

	index, low, stack, path, next []int32 // of Tarjan's search
}

// load reads the support of w. It returns false if w is too dense for components to save time: three sampled rows are more than
// half full (a cheap test for the usual case), or more than a quarter of all entries are nonzero.
func load[T matrix.Float](c *components, w *matrix.Dense[T]) bool {
	d := w.Rows
	most := d * d / 4
	if full(w, 0) && full(w, d/3) && full(w, 2*d/3) {
		return false
	}
	c.start = append(c.start[:0], 0)
	c.to = c.to[:0]
	for i := range d {
		for j, v := range w.Row(i) {
			if v != 0 { // also NaN
				c.to = append(c.to, int32(j))
			}
		}
		c.start = append(c.start, int32(len(c.to)))
		if len(c.to) > most {
			return false
		}
	}
	return true
}

// full reports whether more than half of row i is not zero.
func full[T matrix.Float](w *matrix.Dense[T], i int) bool {
	zeros := 0
	for _, v := range w.Row(i) {
		if v == 0 {
			zeros++
		}
	}
	return 2*zeros < w.Cols
}

// find runs Tarjan's algorithm (1972) on the edges loaded. Cost: O(d + edges).
func (c *components) find() {
	d := len(c.start) - 1
	c.of, c.index, c.low = zeros(c.of, d), zeros(c.index, d), zeros(c.low, d)
	c.next, c.place = zeros(c.next, d), zeros(c.place, d)
	c.nodes, c.ends = c.nodes[:0], c.ends[:0]
	c.stack, c.path = c.stack[:0], c.path[:0]
	seen, found := int32(0), int32(0)
	for root := range int32(d) {
		if c.index[root] != 0 {
			continue
		}
		c.path = append(c.path, root)
		for len(c.path) > 0 {
			v := c.path[len(c.path)-1]
			if c.index[v] == 0 {
				seen++
				c.index[v], c.low[v] = seen, seen
				c.next[v] = c.start[v]
				c.stack = append(c.stack, v)
			}
			if c.next[v] < c.start[v+1] {
				u := c.to[c.next[v]]
				c.next[v]++
				if c.index[u] == 0 {
					c.path = append(c.path, u)
				} else if c.of[u] == 0 { // on the stack
					c.low[v] = min(c.low[v], c.index[u])
				}
				continue
			}
			c.path = c.path[:len(c.path)-1]
			if n := len(c.path); n > 0 {
				c.low[c.path[n-1]] = min(c.low[c.path[n-1]], c.low[v])
			}
			if c.low[v] == c.index[v] {
				found++
				c.take(v, found)
			}
		}
	}
	c.sort()
}

// take moves the component of v off the stack and gives it a number.
func (c *components) take(v, number int32) {
	first := len(c.stack) - 1
	for c.stack[first] != v {
		first--
	}
	members := c.stack[first:]
	for _, u := range members {
		c.of[u] = number
	}
	if len(members) > 1 || c.loop(v) {
		c.nodes = append(c.nodes, members...)
		c.ends = append(c.ends, int32(len(c.nodes)))
	}
	c.stack = c.stack[:first]
}

func (c *components) loop(v int32) bool {
	for _, u := range c.to[c.start[v]:c.start[v+1]] {
		if u == v {
			return true
		}
	}
	return false
}

// sort puts the nodes of each component in rising order, by one pass over all nodes, and notes their places.
func (c *components) sort() {
	slot := zeros(c.index, len(c.of)+1) // of a component, by number: where its next node goes
	c.index = slot
	for i := range slot {
		slot[i] = -1
	}
	first := int32(0)
	for _, end := range c.ends {
		slot[c.of[c.nodes[first]]] = first
		first = end
	}
	for i := range c.low {
		c.low[i] = -1
	}
	begin := c.low // where a component begins, by the first of its nodes in rising order
	for v, number := range c.of {
		at := slot[number]
		if at < 0 {
			continue
		}
		if begin[number-1] < 0 {
			begin[number-1] = at
		}
		c.nodes[at] = int32(v)
		c.place[v] = at - begin[number-1]
		slot[number]++
	}
}

// zeros returns a slice of n zeros, in the memory of s where it fits.
func zeros(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	s = s[:n]
	clear(s)
	return s
}
