package counts

import (
	"math/bits"

	"github.com/polydag/polydag/internal/vec"
)

// vertical counts each of 64 lanes in binary: bit i of plane b is bit b of the count of lane i. Adding a word
// to all 64 counts propagates carries from plane to plane. Full adders process eight words at a time, so that
// only one in eight goes beyond the third plane (Harley and Seal's population count).
type vertical [32]uint64

// sum writes, for every lane, the total weight of the given rows that have it to wide, and returns their total
// weight. Repeated rows count repeatedly.
func (c *Counter) sum(wide []uint32, rows []uint32) (total uint32) {
	total = c.weigh(rows)
	c.unpack(wide, c.fill(rows, total), c.t.lanes.width, total)
	return total
}

// weigh returns the total weight of the given rows.
func (c *Counter) weigh(rows []uint32) uint32 {
	if c.t.weights == nil || c.t.repeats {
		return uint32(len(rows))
	}
	n := uint32(0)
	for _, i := range rows {
		n += c.t.weights[i]
	}
	return n
}

// fill returns the planes of the weight of the given rows in each lane, as vec.CountBits does; total is the weight of all.
func (c *Counter) fill(rows []uint32, total uint32) []uint64 {
	l := &c.t.lanes
	if size := l.width * vec.Planes(int(total)); len(c.bits) < size {
		c.bits = make([]uint64, size)
	}
	if c.t.weights == nil || c.t.repeats {
		vec.CountBits(c.bits, l.table, l.width, rows)
		return c.bits
	}
	depth := bits.Len32(total)
	for g := range l.width {
		clear(c.planes[:depth])
		for _, i := range rows {
			c.planes.add(l.table[int(i)*l.width+g], c.t.weights[i])
		}
		for b, plane := range c.planes[:depth] {
			c.bits[b*l.width+g] = plane
		}
	}
	return c.bits
}

// unpack writes the counts in planes of the given width to dst. None exceeds total.
func (c *Counter) unpack(dst []uint32, planes []uint64, width int, total uint32) {
	if len(c.few) < 64*width {
		c.few = make([]uint8, 64*width)
	}
	clear(dst)
	for b, depth := 0, bits.Len32(total); b < depth; b += 8 {
		vec.SpreadBits(c.few, planes[b*width:], width, min(8, depth-b))
		for i, n := range c.few[:len(dst)] {
			dst[i] |= uint32(n) << b
		}
	}
}

// add adds weight to the lanes in w.
func (p *vertical) add(w uint64, weight uint32) {
	for b := 0; weight>>b != 0; b++ {
		if weight>>b&1 != 0 {
			p.carry(w, b)
		}
	}
}

// carry adds 2^b to the lanes in w.
func (p *vertical) carry(w uint64, b int) {
	for ; w != 0; b++ {
		p[b&31], w = p[b&31]^w, p[b&31]&w
	}
}

// fullAdd adds three bits in each lane.
func fullAdd(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}
