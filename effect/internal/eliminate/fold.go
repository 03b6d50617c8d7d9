package eliminate

import (
	"slices"
	"sync"
)

// cells is the reusable memory of eliminations.
type cells struct {
	held     []float64 // messages and whole products, at the positions of the plan
	tables   [2][]float64
	products [2][]float64
	ratio    []float64
	places   places
}

// memory caches cells for the next elimination.
var memory = sync.Pool{New: func() any { return &cells{} }}

// grown returns s with length n and arbitrary contents.
func grown(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// zeroed returns s with length n and all zeros.
func zeroed(s []float64, n int) []float64 {
	s = grown(s, n)
	clear(s)
	return s
}

// one is the second operand of a product with a single operand.
var one = []float64{1}

// fold multiplies the operands of a bucket except the last two, which it returns.
func (p *plan) fold(c *cells, n *Network, r int) (a, b []float64) {
	bucket := &p.buckets[r]
	var before []float64
	value := func(o operand, side int) []float64 {
		switch {
		case o.table >= 0:
			c.tables[side] = grown(c.tables[side], o.cells)
			p.own(n, o, c.tables[side])
			return c.tables[side]
		case o.from >= 0:
			return p.buckets[o.from].messageAt.of(c.held)
		case o.scope == nil:
			return one
		}
		return before
	}
	for i, step := range bucket.products {
		x, y := value(step.a, 0), value(step.b, 1)
		c.products[i%2] = grown(c.products[i%2], step.cells)
		step.walk.do(&c.places, c.products[i%2], x, y)
		before = c.products[i%2]
	}
	return value(bucket.last[0], 0), value(bucket.last[1], 1)
}

// own writes the table of a node over the unknown members of its family, with the codes of the others fixed.
func (p *plan) own(n *Network, o operand, out []float64) {
	node := n.Nodes[o.table]
	t, _ := n.of.Table(node.column)      // Fit has checked its error
	place := make([]int64, len(o.scope)) // stride of each code in the configuration index
	level := make([]int, len(o.scope))   // stride of each code among the levels
	key, code := int64(0), 0
	put := func(v int, key1 int64, level1 int) {
		if r := p.rank[v]; r >= 0 {
			i, _ := slices.BinarySearch(o.scope, r)
			place[i], level[i] = key1, level1
			return
		}
		c, _ := n.known(v)
		key += key1 * int64(c)
		code += level1 * c
	}
	for j, v := range node.parents {
		put(v, t.Stride[j], 0)
	}
	put(o.table, 0, 1)
	at := make([]int, len(o.scope))
	for i := range out {
		out[i] = t.Row(key)[code]
		for j := len(at) - 1; j >= 0; j-- {
			at[j]++
			key += place[j]
			code += level[j]
			if at[j] < p.levels[o.scope[j]] {
				break
			}
			key -= place[j] * int64(at[j])
			code -= level[j] * at[j]
			at[j] = 0
		}
	}
}

// rise sends the messages of all buckets up and sums each product as it is computed. It returns the product in
// the bucket of the last node.
func (p *plan) rise(c *cells, n *Network) []float64 {
	last := len(p.buckets) - 1
	c.held = grown(c.held, p.room)
	for r := range p.buckets[:last] {
		a, b := p.fold(c, n, r)
		bucket := &p.buckets[r]
		message := bucket.messageAt.of(c.held)
		clear(message)
		bucket.sum.do(&c.places, message, a, b)
	}
	a, b := p.fold(c, n, last)
	out := make([]float64, p.buckets[last].cells)
	p.buckets[last].whole.do(&c.places, out, a, b)
	return out
}
