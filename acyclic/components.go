package acyclic

import (
	"slices"

	"github.com/polydag/polydag/matrix"
)

// A closed walk stays in one strongly connected component. So tr(Aᵏ) is a sum over components, and functions of
// traces have no gradient at edges between components. A DAG has no component with an edge, so its value is
// exactly zero after O(d² + nnz) reads.

// components finds the strongly connected components of the support of W and reuses its memory between calls.
type components struct {
	start []int32 // the edges of node i are to[start[i]:start[i+1]]
	to    []int32

	of    []int32 // the component of each node, numbered in the order of discovery
	nodes []int32 // the nodes of the components with a cycle, one component after the other, each in ascending order
	ends  []int32 // end of each of these components in nodes
	place []int32 // the position of a node within its component

	index, low, stack, path, next []int32 // state of Tarjan's search
}

// load reads the support of w. It returns false if w is too dense for components to save time. That is the case
// if three sampled rows are more than half full (a cheap test) or more than a quarter of all entries are
// nonzero.
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

// full reports whether more than half of row i is nonzero.
func full[T matrix.Float](w *matrix.Dense[T], i int) bool {
	zeros := 0
	for _, v := range w.Row(i) {
		if v == 0 {
			zeros++
		}
	}
	return 2*zeros < w.Cols
}

// find runs Tarjan's algorithm (1972) on the loaded edges. Cost: O(d + edges).
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

// take pops the component of v from the stack and numbers it.
func (c *components) take(v, number int32) {
	first := len(c.stack) - 1
	for c.stack[first] != v {
		first--
	}
	members := c.stack[first:]
	for _, u := range members {
		c.of[u] = number
	}
	if len(members) > 1 || slices.Contains(c.to[c.start[v]:c.start[v+1]], v) {
		c.nodes = append(c.nodes, members...)
		c.ends = append(c.ends, int32(len(c.nodes)))
	}
	c.stack = c.stack[:first]
}

// sort puts the nodes of each component in ascending order in one pass over all nodes, and sets place.
func (c *components) sort() {
	slot := zeros(c.index, len(c.of)+1) // by component number: the index of its next node
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
	begin := c.low // by component number: the index of its first node
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

// zeros returns a slice of n zeros that reuses the memory of s if it is large enough.
func zeros[N int32 | float64](s []N, n int) []N {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}
