package counts

import "math/bits"

// A slot is a byte of the lane words that contains lanes of a set. A table gives its contribution to the
// configuration index of a row: add[b] is the sum over the set lanes of b of stride·(level - last level),
// modulo 2³². So a row costs one lookup per byte, not per column.
type slot struct {
	group int // group of 64 lanes
	shift uint
	add   [256]uint32
}

// slots computes the slots of an ascending set and returns the index of the configuration of last levels.
func (c *Counter) slots(set []int) (last uint32) {
	t := c.t
	c.slot = c.slot[:0]
	stride := uint32(1)
	for _, v := range set {
		top := t.columns[v].levels - 1
		last += stride * uint32(top)
		for level := range top {
			lane := t.lanes.first[v] + level
			s := c.slotOf(lane/64, uint(lane%64)&^7)
			bit := 1 << (lane % 8)
			for b := bit; b < 256; b = (b + 1) | bit {
				s.add[b] += stride * uint32(level-top)
			}
		}
		stride *= uint32(t.columns[v].levels)
	}
	return last
}

// slotOf returns the slot of a byte: the last one or a new one. A byte may have several slots, whose contributions add up.
func (c *Counter) slotOf(group int, shift uint) *slot {
	if k := len(c.slot); k == 0 || c.slot[k-1].group != group || c.slot[k-1].shift != shift {
		c.slot = append(c.slot, slot{group: group, shift: shift})
	}
	return &c.slot[len(c.slot)-1]
}

// sortLanes sorts the lanes of the given rows by their configuration of the set. Those with index i, which is
// below size, are c.sorted[group][c.starts[i]:c.starts[i+1]].
func (c *Counter) sortLanes(set []int, rows []uint32, size int) {
	t := c.t
	c.growIDs()
	if c.sorted == nil {
		c.sorted, c.gathered = make([][]uint64, words(t.lanes.count)), make([][]uint64, words(t.lanes.count))
	}
	for g := range c.sorted {
		if len(c.sorted[g]) < len(rows) {
			c.sorted[g], c.gathered[g] = make([]uint64, len(rows)+len(rows)/4), make([]uint64, len(rows)+len(rows)/4)
		}
	}
	last := c.slots(set)
	starts := zeroed(&c.starts, size+2)[1:]
	for lo := 0; lo < len(rows); lo += blockRows {
		hi := min(lo+blockRows, len(rows))
		for g := range c.gathered {
			out, from := c.gathered[g][lo:hi], t.lanes.table[g:]
			for i, row := range rows[lo:hi] {
				out[i] = from[int(row)*t.lanes.width]
			}
		}
		ids := c.ids[lo:hi]
		for i := range ids {
			ids[i] = last
		}
		for k := range c.slot {
			s := &c.slot[k]
			for i, w := range c.gathered[s.group][lo:hi] {
				ids[i] += s.add[uint8(w>>(s.shift&63))]
			}
		}
		for _, id := range ids {
			starts[id+1]++
		}
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	ids := c.ids[:len(rows)]
	if len(c.sorted) == 1 {
		from, to := c.gathered[0], c.sorted[0]
		for i, id := range ids {
			at := starts[id]
			to[at] = from[i]
			starts[id] = at + 1
		}
	} else {
		for i, id := range ids {
			at := starts[id]
			for g, from := range c.gathered {
				c.sorted[g][at] = from[i]
			}
			starts[id] = at + 1
		}
	}
	c.starts = c.starts[:size+2]
}

// sumSorted writes, for every lane, the number of sorted rows lo to hi - 1 that have it to wide.
func (c *Counter) sumSorted(wide []uint32, lo, hi int) {
	planes := bits.Len(uint(hi - lo))
	for _, data := range c.sorted {
		clear(c.planes[:max(3, planes)])
		c.planes.addWords(data[lo:hi])
		out := wide[:min(64, len(wide))]
		wide = wide[len(out):]
		c.unpack(out, c.planes[:], 1, uint32(hi-lo))
	}
}

// addWords adds one to the lanes of each word.
func (p *vertical) addWords(data []uint64) {
	ones, twos, fours := p[0], p[1], p[2]
	for ; len(data) >= 8; data = data[8:] {
		r := data[:8:8]
		var twoA, twoB, fourA, fourB, eight uint64
		ones, twoA = fullAdd(ones, r[0], r[1])
		ones, twoB = fullAdd(ones, r[2], r[3])
		twos, fourA = fullAdd(twos, twoA, twoB)
		ones, twoA = fullAdd(ones, r[4], r[5])
		ones, twoB = fullAdd(ones, r[6], r[7])
		twos, fourB = fullAdd(twos, twoA, twoB)
		fours, eight = fullAdd(fours, fourA, fourB)
		p.carry(eight, 3)
	}
	p[0], p[1], p[2] = ones, twos, fours
	for _, w := range data {
		p.carry(w, 0)
	}
}
