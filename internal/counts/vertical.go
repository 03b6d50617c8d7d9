package counts

import "math/bits"

// vertical counts each of 64 lanes in binary: bit i of plane b is bit b of the count of lane i. Adding a word
// to all 64 counts propagates carries from plane to plane. Full adders process eight words at a time, so that
// only one in eight goes beyond the third plane (Harley and Seal's population count).
type vertical [32]uint64

// sum writes, for every lane, the total weight of the given rows that have it to wide, and returns their total
// weight. Repeated rows count repeatedly.
func (c *Counter) sum(wide []uint32, rows []uint32) (total uint32) {
	t := c.t
	total = uint32(len(rows))
	each := t.weights == nil || t.repeats
	if !each {
		total = 0
		for _, i := range rows {
			total += t.weights[i]
		}
	}
	planes := bits.Len32(total)
	for _, data := range t.lanes.words {
		clear(c.planes[:planes])
		if each {
			c.planes.addRows(data, rows)
		} else {
			for _, i := range rows {
				c.planes.add(data[i], t.weights[i])
			}
		}
		out := wide[:min(64, len(wide))]
		wide = wide[len(out):]
		for lane := range out {
			n := uint32(0)
			for b, plane := range c.planes[:planes] {
				n |= uint32(plane>>lane&1) << b
			}
			out[lane] = n
		}
	}
	return total
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
