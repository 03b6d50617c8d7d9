package alias

import (
	"slices"

	"github.com/polydag/polydag/graph"
)

// A decoder maps vectors to DAGs (Vec2DAG). A vector has a potential for each column and one for each pair of columns, pairs in the order (0, 1),
// (0, 2), …, (1, 2), …. Columns of a pair with a positive potential are joined, from the smaller column potential to the larger one. Every
// DAG is the image of a vector: potentials of columns along an order of the DAG, and of pairs by their edges. It costs O(d²).
type decoder struct {
	d         int
	required  []graph.Edge
	forbidden func(from, to int) bool // nil for none
}

// size returns the number of entries of a vector.
func (c *decoder) size() int { return c.d + c.d*(c.d-1)/2 }

// words returns the number of words of a set of columns.
func (c *decoder) words() int { return (c.d + 63) / 64 }

// decode writes the parents of column v to parents[v·words:], one bit each. order and place are buffers of length d. Required edges are
// always in the graph: the order puts their causes first.
func (c *decoder) decode(parents []uint64, z []float64, order, place []int) {
	for v := range order {
		order[v] = v
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case z[a] < z[b]:
			return -1
		case z[a] > z[b]:
			return 1
		}
		return a - b
	})
	for at, v := range graph.Respect(order, c.required) {
		place[v] = at
	}
	clear(parents)
	words, pair := c.words(), z[c.d:]
	for i := range c.d {
		for j := i + 1; j < c.d; j++ {
			from, to := i, j
			if place[i] > place[j] {
				from, to = j, i
			}
			if pair[0] > 0 && (c.forbidden == nil || !c.forbidden(from, to)) {
				parents[to*words+from/64] |= 1 << (from % 64)
			}
			pair = pair[1:]
		}
	}
	for _, e := range c.required {
		parents[e.To*words+e.From/64] |= 1 << (e.From % 64)
	}
}

// graph returns the graph with these parents.
func (c *decoder) graph(parents []uint64) *graph.Graph {
	g := graph.New(c.d)
	for v := range c.d {
		for _, p := range members(nil, parents[v*c.words():(v+1)*c.words()]) {
			g.AddEdge(p, v)
		}
	}
	return g
}
