package knowledge

import (
	"slices"
	"strings"

	"github.com/polydag/polydag/graph"
)

// A closure is the transitive closure of the required edges. Only the m columns with such edges are numbered, and it takes m² bits.
// A nil closure has no edges.
type closure struct {
	number []int32      // number of each column; -1 without a required edge
	column []int        // column of each number
	below  [][]uint64   // bit b of below[a] is set if a path leads from a to b
	graph  *graph.Graph // required edges, by number
}

// newClosure builds the closure of sorted edges without self-loops, or returns an error with a cycle for each cyclic component.
// O(edges · m/64).
func newClosure(names []string, edges []graph.Edge) (*closure, []error) {
	if len(edges) == 0 {
		return nil, nil
	}
	c := &closure{number: make([]int32, len(names))}
	for i := range c.number {
		c.number[i] = -1
	}
	for _, e := range edges {
		c.number[e.From], c.number[e.To] = 0, 0
	}
	for i, n := range c.number {
		if n == 0 {
			c.number[i] = int32(len(c.column))
			c.column = append(c.column, i)
		}
	}
	c.graph = graph.New(len(c.column))
	for _, e := range edges {
		c.graph.AddEdge(int(c.number[e.From]), int(c.number[e.To]))
	}
	order, err := c.graph.Order()
	if err != nil {
		return nil, c.cycles(names)
	}
	c.below = make([][]uint64, len(c.column))
	for _, a := range slices.Backward(order) {
		c.below[a] = make([]uint64, (len(c.column)+63)/64)
		for _, b := range c.graph.Children(a) {
			setBit(c.below[a], b)
			for w, bits := range c.below[b] {
				c.below[a][w] |= bits
			}
		}
	}
	return c, nil
}

// cycles names a shortest cycle of each cyclic component.
func (c *closure) cycles(names []string) []error {
	var errs []error
	for _, component := range c.graph.CyclicComponents() {
		inner := graph.New(len(component))
		for a, v := range component {
			for _, w := range c.graph.Children(v) {
				if b, ok := slices.BinarySearch(component, w); ok {
					inner.AddEdge(a, b)
				}
			}
		}
		var path []string
		for _, a := range inner.ShortestCycle() {
			path = append(path, names[c.column[component[a]]])
		}
		path = append(path, path[0])
		errs = append(errs, fault("the required edges close a cycle: %s; drop one of them", strings.Join(path, " → ")))
	}
	return errs
}

// leads reports whether required edges lead from i to j.
func (c *closure) leads(i, j int) bool {
	if c == nil {
		return false
	}
	a, b := c.number[i], c.number[j]
	return a >= 0 && b >= 0 && hasBit(c.below[a], int(b))
}

// path returns columns i, …, j joined by required edges, which must lead from i to j.
func (c *closure) path(i, j int) []int {
	path := []int{i}
	for i != j {
		for _, b := range c.graph.Children(int(c.number[i])) {
			if next := c.column[b]; next == j || c.leads(next, j) {
				i = next
				break
			}
		}
		path = append(path, i)
	}
	return path
}
