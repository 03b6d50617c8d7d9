package counts

import "math/bits"

// bitsPay reports whether all columns are binary and counting by bits is cheaper than by rows. The walk costs
// about 2^(p-1) steps for 64 rows and plane, the other way p + 2; the costs are equal at seven parents
// (BenchmarkFamily).
func (c *Counter) bitsPay(v int, parents []int) bool {
	if c.t.columns[v].bits == nil || len(parents) > 12 {
		return false
	}
	for _, p := range parents {
		if c.t.columns[p].bits == nil {
			return false
		}
	}
	return len(c.t.planes)<<max(0, len(parents)-1) <= bitsFactor*(len(parents)+2)
}

const bitsFactor = 6

// familyBits walks the tree of parent configurations depth first, with the set of matching rows. It computes
// the counts of the last parent and of v without building their sets. The index of a cell has the level of v in
// bit 0 and the level of parent i in bit i + 1.
func (c *Counter) familyBits(v int, parents []int) (cells, configs []uint32) {
	cells = zeroed(&c.cells, 2<<len(parents))
	c.v, c.child = v, c.t.columns[v].bits
	c.parents = append(c.parents[:0], parents...)
	for b := range c.t.planes {
		c.walk(c.root(b), 0, 0, uint(b))
	}
	return cells, c.marginal(cells, 2)
}

// root returns the rows that count for c.v and have bit b in their weight.
func (c *Counter) root(b int) []uint64 {
	t := c.t
	if runs := t.runs[c.v]; len(runs) == 1 && runs[0] == (run{0, t.rows}) {
		return t.planes[b]
	}
	set := c.set(len(c.parents))
	clear(set)
	for _, r := range t.runs[c.v] {
		setRange(set, r)
	}
	for i, w := range t.planes[b] {
		set[i] &= w
	}
	return set
}

// set returns the scratch set of a depth.
func (c *Counter) set(depth int) []uint64 {
	for len(c.sets) <= depth {
		c.sets = append(c.sets, make([]uint64, words(c.t.rows)))
	}
	return c.sets[depth]
}

// walk adds 2^plane times the counts of the configurations that begin with j, within the rows of set.
func (c *Counter) walk(set []uint64, depth, j int, plane uint) {
	left := len(c.parents) - depth
	if left == 0 {
		n, n1 := pair(set, c.child)
		c.cells[2*j] += uint32(n-n1) << plane
		c.cells[2*j+1] += uint32(n1) << plane
		return
	}
	a := c.t.columns[c.parents[depth]].bits
	if left == 1 {
		n, nk, na, nak := triple(set, c.child, a)
		one := j | 1<<depth
		c.cells[2*j] += uint32(n-nk-na+nak) << plane
		c.cells[2*j+1] += uint32(nk-nak) << plane
		c.cells[2*one] += uint32(na-nak) << plane
		c.cells[2*one+1] += uint32(nak) << plane
		return
	}
	part := c.set(depth)
	if intersect(part, set, a) {
		c.walk(part, depth+1, j|1<<depth, plane)
	}
	if subtract(part, set, a) {
		c.walk(part, depth+1, j, plane)
	}
}

// pair returns |s| and |s∩k|.
func pair(s, k []uint64) (n, nk int) {
	k = k[:len(s)]
	for i, w := range s {
		n += bits.OnesCount64(w)
		nk += bits.OnesCount64(w & k[i])
	}
	return n, nk
}

// triple returns |s|, |s∩k|, |s∩a| and |s∩k∩a|.
func triple(s, k, a []uint64) (n, nk, na, nak int) {
	k, a = k[:len(s)], a[:len(s)]
	for i, w := range s {
		wk := w & k[i]
		n += bits.OnesCount64(w)
		nk += bits.OnesCount64(wk)
		na += bits.OnesCount64(w & a[i])
		nak += bits.OnesCount64(wk & a[i])
	}
	return n, nk, na, nak
}

// intersect writes s∩a to dst and reports whether it is not empty.
func intersect(dst, s, a []uint64) bool {
	a, dst = a[:len(s)], dst[:len(s)]
	any := uint64(0)
	for i, w := range s {
		dst[i] = w & a[i]
		any |= dst[i]
	}
	return any != 0
}

// subtract writes s∖a to dst and reports whether it is not empty.
func subtract(dst, s, a []uint64) bool {
	a, dst = a[:len(s)], dst[:len(s)]
	any := uint64(0)
	for i, w := range s {
		dst[i] = w &^ a[i]
		any |= dst[i]
	}
	return any != 0
}
