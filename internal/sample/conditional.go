package sample

import "math"

// condition adds the probability of every edge given the rest of the graph to sum; sum[x·d + v] belongs to x →
// v. For each pair of variables there are at most three completions with known weights. The mean over a chain
// estimates the edge probability with less variance than the frequency (Rao-Blackwell), and distinguishes rare
// edges that no graph contains. O(d²).
func (c *chain) condition(sum []float64) {
	d := len(c.order)
	words := (d + 63) / 64
	if c.above == nil {
		c.above, c.through = make([]uint64, d*words), make([]uint64, d*words)
	}
	for i, v := range c.order {
		above, through := c.above[int(v)*words:][:words], c.through[int(v)*words:][:words]
		clear(above)
		clear(through)
		n := c.nodes[v]
		n.parents(c.sets[v], func(x int) {
			for k, w := range c.above[x*words : (x+1)*words] {
				through[k] |= w
			}
			above[x>>6] |= 1 << (x & 63)
		})
		for k, w := range through {
			above[k] |= w
		}
		for _, x := range c.order[:i] {
			// x precedes v, so x → v closes no cycle. The opposite edge does if a longer path leads from x to
			// v.
			bare := n.minus(c.sets[v], int(x))
			none := n.weight(bare)
			if math.IsInf(none, -1) { // the edge is required
				sum[int(x)*d+int(v)]++
				continue
			}
			forth, back := math.Inf(-1), math.Inf(-1) // logarithms relative to no edge, 0
			if with, fits := n.plus(bare, int(x)); fits {
				forth = n.weight(with) - none
			}
			if through[x>>6]>>(x&63)&1 == 0 {
				o := c.nodes[x]
				if with, fits := o.plus(c.sets[x], int(v)); fits {
					back = o.weight(with) - o.weight(c.sets[x])
				}
			}
			top := max(0, forth, back) // with many rows, exponentials overflow
			forth, back = math.Exp(forth-top), math.Exp(back-top)
			all := math.Exp(-top) + forth + back
			sum[int(x)*d+int(v)] += forth / all
			sum[int(v)*d+int(x)] += back / all
		}
	}
}

// plus returns the parents s with x added, and whether that set is in the space.
func (n *node) plus(s set, x int) (set, bool) {
	if slot := n.slot[x]; slot >= 0 {
		s.mask |= 1 << slot
		return s, true
	}
	place := n.place[x]
	if place < 0 || s.other >= 0 && s.other != place {
		return s, false
	}
	s.other = place
	return s, true
}

// minus returns the parents s without x.
func (n *node) minus(s set, x int) set {
	if slot := n.slot[x]; slot >= 0 {
		s.mask &^= 1 << slot
	} else if s.other >= 0 && s.other == n.place[x] {
		s.other = -1
	}
	return s
}
