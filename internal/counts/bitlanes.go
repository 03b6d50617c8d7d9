package counts

import "math/bits"

// bitLanesPay reports whether all columns are binary, there are no weights, and bit sets are cheaper than
// summing lanes. That holds for few parents; the costs are equal at three (BenchmarkExtend).
func (c *Counter) bitLanesPay(parents []int) bool {
	return c.t.binary && c.t.weights == nil && len(parents) <= bitLaneParents
}

const bitLaneParents = 2

// extendBits is Extend for binary columns. It intersects the rows of each configuration with every column.
func (c *Counter) extendBits(v int, parents []int, visit func(*Tally)) {
	c.v, c.child = v, c.t.columns[v].bits
	c.parents = append(c.parents[:0], parents...)
	c.eachSet(c.root(0), 0, visit)
}

// eachSet splits set by the parents from depth on.
func (c *Counter) eachSet(set []uint64, depth int, visit func(*Tally)) {
	if depth == len(c.parents) {
		c.tallySet(set, visit)
		return
	}
	a := c.t.columns[c.parents[depth]].bits
	part := c.set(depth)
	if intersect(part, set, a) {
		c.eachSet(part, depth+1, visit)
	}
	if subtract(part, set, a) {
		c.eachSet(part, depth+1, visit)
	}
}

// tallySet visits one configuration with the rows in set.
func (c *Counter) tallySet(set []uint64, visit func(*Tally)) {
	n, n1 := pair(set, c.child)
	if n == 0 {
		return
	}
	c.tally.Child[0], c.tally.Child[1] = uint32(n-n1), uint32(n1)
	child := c.child[:len(set)]
	for x := range c.t.columns {
		a := c.t.columns[x].bits[:len(set)]
		na, nak := 0, 0
		for i, w := range set {
			w &= a[i]
			na += bits.OnesCount64(w)
			nak += bits.OnesCount64(w & child[i])
		}
		counts := c.tally.Levels[x]
		counts[0], counts[1] = uint32(n-n1-na+nak), uint32(n1-nak)
		counts[2], counts[3] = uint32(na-nak), uint32(nak)
	}
	visit(&c.tally)
}
