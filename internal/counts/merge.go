package counts

// distinct finds the rows that differ from every earlier row of their environment. It returns them, the start of
// each environment, and the weight of each row. It compares hashes of the levels, and then the levels if hashes
// agree. O(n·d).
func (t *Data) distinct(bounds []int, weights []uint32) (rows, newBounds []int, merged []uint32) {
	hashes := make([]uint64, t.rows)
	for v := range t.columns {
		c := &t.columns[v]
		for i := range hashes {
			h := (hashes[i] ^ uint64(c.at(i))) * 0x9e3779b97f4a7c15
			hashes[i] = h ^ h>>29
		}
	}
	newBounds = []int{0}
	for r := range len(bounds) - 1 {
		first := make(map[uint64]int, bounds[r+1]-bounds[r]) // hash → index into rows of the latest one
		var chain map[int]int                                // index → earlier index with the same hash
		for i := bounds[r]; i < bounds[r+1]; i++ {
			w := uint32(1)
			if weights != nil {
				w = weights[i]
			}
			k, ok := first[hashes[i]]
			for ok && !t.same(rows[k], i) {
				k, ok = chain[k]
			}
			if ok {
				merged[k] += w
				continue
			}
			if old, ok := first[hashes[i]]; ok {
				if chain == nil {
					chain = make(map[int]int)
				}
				chain[len(rows)] = old
			}
			first[hashes[i]] = len(rows)
			rows = append(rows, i)
			merged = append(merged, w)
		}
		newBounds = append(newBounds, len(rows))
	}
	return rows, newBounds, merged
}

// same reports whether rows i and j have the same levels.
func (t *Data) same(i, j int) bool {
	for v := range t.columns {
		if c := &t.columns[v]; c.at(i) != c.at(j) {
			return false
		}
	}
	return true
}

// gather returns the column of the given rows.
func (c *column) gather(rows []int) column {
	g := column{levels: c.levels}
	switch {
	case c.narrow != nil:
		g.narrow = reorder(c.narrow, rows)
	case c.middle != nil:
		g.middle = reorder(c.middle, rows)
	default:
		g.wide = reorder(c.wide, rows)
	}
	return g
}
