package counts

import "math/bits"

// familySparse uses a counter for each occurring configuration. It adds the parents one by one. Whenever there
// could be more configurations than c.limit, the occurring ones are renumbered, so there are never more than
// rows. It makes one pass over the rows per parent.
func (c *Counter) familySparse(v int, parents []int) (cells, configs []uint32) {
	seen := c.numberSeen(v, parents)
	configs = c.histogram(&c.configs, v, seen)
	seen = c.refine(v, v, seen)
	return c.histogram(&c.cells, v, seen), configs
}

// numberSeen sets c.ids to an index of the parent configuration for each row that counts for v. It returns the
// number of indices, at most c.limit; some may not occur.
func (c *Counter) numberSeen(v int, parents []int) int {
	c.growIDs()
	for _, r := range c.t.runs[v] {
		clear(c.ids[r.lo:r.hi])
	}
	seen := 1
	for _, p := range parents {
		seen = c.refine(v, p, seen)
	}
	return seen
}

// growIDs allocates c.ids for all rows.
func (c *Counter) growIDs() {
	if len(c.ids) < c.t.rows {
		c.ids = make([]uint32, c.t.rows)
	}
}

// refine extends the configuration indices, which are below seen, by column p and returns their new number.
func (c *Counter) refine(v, p, seen int) int {
	col := &c.t.columns[p]
	if col.levels <= c.limit/seen {
		for _, r := range c.t.runs[v] {
			ids := c.ids[r.lo:r.hi]
			if col.narrow != nil {
				for i, k := range col.narrow[r.lo:r.hi] {
					ids[i] = ids[i]*uint32(col.levels) + uint32(k)
				}
				continue
			}
			for i := range ids {
				ids[i] = ids[i]*uint32(col.levels) + col.at(r.lo+i)
			}
		}
		return seen * col.levels
	}
	c.hash.reset(c.t.rows)
	for _, r := range c.t.runs[v] {
		for i := r.lo; i < r.hi; i++ {
			c.ids[i] = c.hash.number(uint64(c.ids[i])*uint64(col.levels) + uint64(col.at(i)))
		}
	}
	return max(1, c.hash.used)
}

// renumber renumbers the configurations in c.ids so that every index occurs, and returns their number.
func (c *Counter) renumber(v int) int {
	c.hash.reset(c.t.rows)
	for _, r := range c.t.runs[v] {
		for i, id := range c.ids[r.lo:r.hi] {
			c.ids[r.lo+i] = c.hash.number(uint64(id))
		}
	}
	return max(1, c.hash.used)
}

// histogram counts the rows of each index in c.ids.
func (c *Counter) histogram(buf *[]uint32, v, seen int) []uint32 {
	t := c.t
	counts := zeroed(buf, seen)
	for _, r := range t.runs[v] {
		for i := r.lo; i < r.hi; i++ {
			counts[c.ids[i]] += t.Weight(i)
		}
	}
	return counts
}

// hash numbers keys in the order of their first occurrence. It is an open-addressed table that is at most half
// full.
type hash struct {
	keys  []uint64 // key + 1, or 0 for an empty slot
	ids   []uint32
	used  int
	shift int
}

// reset clears the table and makes room for n keys.
func (h *hash) reset(n int) {
	size := 1 << bits.Len(uint(2*n))
	if len(h.keys) != size {
		h.keys, h.ids = make([]uint64, size), make([]uint32, size)
	}
	clear(h.keys)
	h.used, h.shift = 0, 64-bits.TrailingZeros(uint(size))
}

// number returns the number of a key, a new one if needed.
func (h *hash) number(key uint64) uint32 {
	mask := len(h.keys) - 1
	for at := int((key * 0x9e3779b97f4a7c15) >> h.shift); ; at = (at + 1) & mask {
		switch h.keys[at] {
		case key + 1:
			return h.ids[at]
		case 0:
			h.keys[at], h.ids[at] = key+1, uint32(h.used)
			h.used++
			return h.ids[at]
		}
	}
}
