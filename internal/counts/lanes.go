package counts

import "slices"

// MostLevels is the largest number of levels of a column that Extend and Refine count.
const MostLevels = 32

// lanes stores the rows as one-hot bits: each level of a column except the last is a bit. A word has 64 of
// these bits of one row. Columns with fewer levels come first.
type lanes struct {
	table  []uint64 // table[i·width + g] has lanes 64·g to 64·g + 63 of row i
	width  int      // words per row
	first  []int    // first lane of each column, or -1
	count  int      // total number of lanes
	levels int      // levels of all columns with lanes
	groups []Group
}

// A Group has the columns with the same number of levels, which have adjacent lanes.
type Group struct {
	Levels  int
	Columns []int // ascending
	First   int   // lane of level 0 of the first column; each has Levels - 1 lanes
}

// Groups returns the columns with at most MostLevels levels. The caller must not change them.
func (t *Data) Groups() []Group { return t.lanes.groups }

// Lanes returns the number of levels of the columns with at most MostLevels of them, without one of each column.
func (t *Data) Lanes() int { return t.lanes.count }

// newLanes fills the lanes of every column with at most MostLevels levels.
func newLanes(t *Data) lanes {
	l := lanes{first: make([]int, len(t.columns))}
	byLevels := make([][]int, MostLevels+1)
	for v := range t.columns {
		l.first[v] = -1
		if r := t.columns[v].levels; r <= MostLevels {
			byLevels[r] = append(byLevels[r], v)
		}
	}
	for r, columns := range byLevels {
		if columns == nil {
			continue
		}
		l.groups = append(l.groups, Group{Levels: r, Columns: columns, First: l.count})
		for _, v := range columns {
			l.first[v] = l.count
			l.count += r - 1
			l.levels += r
		}
	}
	if l.width = max(1, words(l.count)); l.width == 2 || l.width == 3 {
		l.width = 4 // which vec.CountBits counts faster
	}
	l.table = make([]uint64, t.rows*l.width)
	for v := range t.columns {
		if l.first[v] < 0 {
			continue
		}
		last := uint8(t.columns[v].levels - 1)
		for i, k := range t.columns[v].narrow {
			if k != last {
				lane := l.first[v] + int(k)
				l.table[i*l.width+lane/64] |= 1 << (lane % 64)
			}
		}
	}
	return l
}

// A Tally has the counts of one parent configuration for all columns that Extend counts.
type Tally struct {
	// Child[k] is the number of rows with level k of v.
	Child []uint32
	// Levels[x] are the counts with column x: entry l·len(Child) + k is the number of rows with level l of x
	// and level k of v. It is nil for columns that Extend does not count.
	Levels [][]uint32
}

// Extend calls visit for every parent configuration that occurs in the rows that count for v, with the counts
// of each further column. It omits columns with more than MostLevels levels; v and the parents are included.
// The tally is valid only during the call. Extend returns false without calling visit if the occurring
// configurations times the levels of v exceed max(65,536, 4·rows). Family must then count the columns one by
// one.
//
// It sorts the rows by configuration and sums the lanes of each configuration. The cost is O(n·(p +
// levels/64)), plus O(levels·levels(v)) per occurring configuration.
func (c *Counter) Extend(v int, parents []int, visit func(*Tally)) bool {
	t := c.t
	c.prepareTally(v)
	r := t.columns[v].levels
	seen, ok := c.numberCells(v, parents)
	if !ok {
		return false
	}
	c.way = byLanes
	c.sortRows(v, seen*r)
	for j := range seen {
		if c.starts[j*r] == c.starts[(j+1)*r] {
			continue
		}
		weight := uint32(0)
		for k := range r {
			c.wide[k] = c.sums[k*t.lanes.count : (k+1)*t.lanes.count]
			n := c.sum(c.wide[k], c.order[c.starts[j*r+k]:c.starts[j*r+k+1]])
			c.tally.Child[k] = n
			weight += n
		}
		if weight > 0 {
			c.spread()
			visit(&c.tally)
		}
	}
	return true
}

// prepareTally lays out the tally and the sums behind it.
func (c *Counter) prepareTally(v int) {
	t := c.t
	r := t.columns[v].levels
	if c.tally.Levels == nil {
		c.tally.Levels = make([][]uint32, len(t.columns))
	}
	if len(c.tally.Child) == r {
		return
	}
	c.sums = zeroed(&c.sums, r*t.lanes.count)
	c.wide = slices.Grow(c.wide[:0], r)[:r]
	all := zeroed(&c.levels, r*(t.lanes.levels+1))
	c.tally.Child, all = all[:r], all[r:]
	for x := range t.columns {
		if t.lanes.first[x] >= 0 {
			size := r * t.columns[x].levels
			c.tally.Levels[x], all = all[:size], all[size:]
		}
	}
}

// numberCells sets c.ids to j·levels(v) + k for each row that counts for v, where j is an index of the parent
// configuration and k the level of v. It returns the number of indices j, and false if there are too many.
func (c *Counter) numberCells(v int, parents []int) (seen int, ok bool) {
	t := c.t
	r := t.columns[v].levels
	if size, ok := c.size(v, parents); ok {
		c.growIDs()
		for _, run := range t.runs[v] {
			for lo := run.lo; lo < run.hi; lo += blockRows {
				t.number(c.ids[lo:min(lo+blockRows, run.hi)], lo, v, parents)
			}
		}
		return size / r, true
	}
	seen = c.numberSeen(v, parents)
	if seen > c.limit/r {
		if seen = c.renumber(v); seen > c.limit/r {
			return 0, false
		}
	}
	c.refine(v, v, seen)
	return seen, true
}

// sortRows sorts the rows that count for v by their index in c.ids, which is below cells. The rows of cell i
// are c.order[c.starts[i]:c.starts[i+1]], ascending. If Data.repeats is set, rows are repeated by their
// weight.
func (c *Counter) sortRows(v, cells int) {
	t := c.t
	starts := zeroed(&c.starts, cells+2)[1:]
	for _, run := range t.runs[v] {
		ids := c.ids[run.lo:run.hi]
		if t.repeats {
			for i, w := range t.weights[run.lo:run.hi] {
				starts[ids[i]+1] += w
			}
			continue
		}
		for _, id := range ids {
			starts[id+1]++
		}
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	if n := int(starts[cells]); len(c.order) < n {
		c.order = make([]uint32, n)
	}
	// Each start moves to its end, so the slice shifted by one has the starts.
	for _, run := range t.runs[v] {
		for i := run.lo; i < run.hi; i++ {
			at := &starts[c.ids[i]]
			if !t.repeats {
				c.order[*at] = uint32(i)
				*at++
				continue
			}
			for range t.weights[i] {
				c.order[*at] = uint32(i)
				*at++
			}
		}
	}
	c.starts = c.starts[:cells+2]
}

// spread writes the sums of the lanes to the tally; c.wide[k] has those of the rows with level k of v. The last
// level of a column is Child minus its other levels.
func (c *Counter) spread() {
	t := c.t
	if t.binary {
		c.spreadBits()
		return
	}
	r := len(c.tally.Child)
	for x, counts := range c.tally.Levels {
		if counts == nil {
			continue
		}
		first, last := t.lanes.first[x], (t.columns[x].levels-1)*r
		for k, n := range c.tally.Child {
			lane := first
			for l := 0; l < last; l += r {
				m := c.wide[k][lane]
				counts[l+k] = m
				n -= m
				lane++
			}
			counts[last+k] = n
		}
	}
}

// spreadBits is spread for binary columns: lane x is level 0 of column x, and the tallies of the columns follow
// Child.
func (c *Counter) spreadBits() {
	n0, n1 := c.tally.Child[0], c.tally.Child[1]
	w0, w1 := c.wide[0], c.wide[1]
	w1, all := w1[:len(w0)], c.levels[2:2+4*len(w0)]
	for x, m0 := range w0 {
		m1, counts := w1[x], all[4*x:4*x+4:4*x+4]
		counts[0], counts[1], counts[2], counts[3] = m0, m1, n0-m0, n1-m1
	}
}
