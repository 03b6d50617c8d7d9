package counts

import "math/bits"

// familySparse has a counter for each configuration that occurs. The parents are taken in one by one; whenever there
// could be more configurations than c.limit, those that occur are numbered anew, so there are
// never more than rows. One pass over the rows for each parent.
func (c *Counter) familySparse(v int, parents []int) (cells, configs []uint32) {
	seen := c.numberSeen(v, parents)
	configs = c.histogram(&c.configs, v, seen)
	seen = c.refine(v, v, seen)
	return c.histogram(&c.cells, v, seen), configs
}

// numberSeen leaves in c.ids, for each row that counts for v, a number of its configuration of the parents, and returns
// how many numbers there are: at most c.limit, some of which may not occur.
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

// growIDs makes room for a number a row.
func (c *Counter) growIDs() {
	if len(c.ids) < c.t.rows {
		c.ids = make([]uint32, c.t.rows)
	}
}

// refine turns the numbers of configurations, of which there are seen, into those of the
// configurations with column p, and returns how many there are now.
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

// renumber numbers the configurations in c.ids anew, so that every number occurs, and returns how many there are.
func (c *Counter) renumber(v int) int {
	c.hash.reset(c.t.rows)
	for _, r := range c.t.runs[v] {
		for i, id := range c.ids[r.lo:r.hi] {
			c.ids[r.lo+i] = c.hash.number(uint64(id))
		}
	}
	return max(1, c.hash.used)
}

// histogram counts the rows of each number in c.ids.
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

// hash numbers keys in the order in which they are first seen. It is an open-addressed table at most half full.
type hash struct {
	keys  []uint64 // key + 1, or 0 where there is none
	ids   []uint32
	used  int
	shift int
}

// reset empties the table and makes room for n keys.
func (h *hash) reset(n int) {
	size := 1 << bits.Len(uint(2*n))
	if len(h.keys) != size {
		h.keys, h.ids = make([]uint64, size), make([]uint32, size)
	}
	clear(h.keys)
	h.used, h.shift = 0, 64-bits.TrailingZeros(uint(size))
}

// number returns the number of a key, a new one where it has none.
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
