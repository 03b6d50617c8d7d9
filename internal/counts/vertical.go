package counts

import "math/bits"

// vertical counts each of 64 lanes in binary: bit i of plane b is bit b of the count of lane i. Adding a word
// to all 64 counts propagates carries from plane to plane. Full adders process eight words at a time, so that
// only one in eight goes beyond the third plane (Harley and Seal's population count).
type vertical [32]uint64

// sum writes, for every lane, the total weight of the given rows that have it to wide, and returns their total
// weight. Repeated rows count repeatedly.
func (c *Counter) sum(wide []uint32, rows []uint32) (total uint32) {
	total = c.weigh(rows)
	planes := bits.Len32(total)
	for g := range c.t.lanes.words {
		c.fill(g, rows, planes)
		out := wide[:min(64, len(wide))]
		wide = wide[len(out):]
		c.planes.read(out, planes)
	}
	return total
}

// fill sets c.planes to the total weight of the given rows in each lane of group g. Their counts have the given number of planes.
func (c *Counter) fill(g int, rows []uint32, planes int) {
	t := c.t
	clear(c.planes[:max(3, planes)])
	if t.weights == nil || t.repeats {
		c.planes.addRows(t.lanes.words[g], rows)
		return
	}
	for _, i := range rows {
		c.planes.add(t.lanes.words[g][i], t.weights[i])
	}
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

// read writes the counts of the first lanes, which have the given number of planes.
func (p *vertical) read(out []uint32, planes int) {
	if planes > 16 || len(out) < 64 {
		for lane := range out {
			n := uint32(0)
			for b, plane := range p[:planes] {
				n |= uint32(plane>>lane&1) << b
			}
			out[lane] = n
		}
		return
	}
	for shift := 0; shift < 64; shift += 8 {
		low := p.bytes(0, min(planes, 8), shift)
		high := p.bytes(8, planes, shift)
		eight := out[shift : shift+8 : shift+8]
		for i := range eight {
			eight[i] = uint32(uint8(low)) | uint32(uint8(high))<<8
			low, high = low>>8, high>>8
		}
	}
}

// bytes returns the counts of eight lanes from shift on, one in each byte, from the planes lo to hi - 1, of which there are at most
// eight. Plane lo has the lowest bit.
func (p *vertical) bytes(lo, hi, shift int) (counts uint64) {
	for b := lo; b < hi; b++ {
		counts |= spreadBits8[uint8(p[b]>>shift)] << (b - lo)
	}
	return counts
}

// spreadBits8 has bit i of an index in bit 8·i.
var spreadBits8 = func() (table [256]uint64) {
	for k := range table {
		for i := range 8 {
			table[k] |= uint64(k>>i&1) << (8 * i)
		}
	}
	return table
}()

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

// addRows adds one to the lanes of each of the given rows.
func (p *vertical) addRows(data []uint64, rows []uint32) {
	if len(rows) >= 8 {
		ones, twos, fours := p[0], p[1], p[2]
		for ; len(rows) >= 8; rows = rows[8:] {
			r := rows[:8:8]
			var twoA, twoB, fourA, fourB, eight uint64
			ones, twoA = fullAdd(ones, data[r[0]], data[r[1]])
			ones, twoB = fullAdd(ones, data[r[2]], data[r[3]])
			twos, fourA = fullAdd(twos, twoA, twoB)
			ones, twoA = fullAdd(ones, data[r[4]], data[r[5]])
			ones, twoB = fullAdd(ones, data[r[6]], data[r[7]])
			twos, fourB = fullAdd(twos, twoA, twoB)
			fours, eight = fullAdd(fours, fourA, fourB)
			p.carry(eight, 3)
		}
		p[0], p[1], p[2] = ones, twos, fours
	}
	for _, i := range rows {
		p.carry(data[i], 0)
	}
}

// fullAdd adds three bits in each lane.
func fullAdd(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}
