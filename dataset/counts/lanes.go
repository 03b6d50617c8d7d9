package counts

// MostLevels is the largest number of levels of a column that Extend counts.
const MostLevels = 16

// lanes holds the rows once more as one-hot bytes: level l of a column, its last one left out, is a byte that is 1 in the
// rows that have it. Eight bytes are summed by one addition, 255 rows before they overflow. Words are stored
// in groups of four, each group row by row, so that a pass over some rows reads whole lines.
type lanes struct {
	groups []laneGroup
	first  []int // for each column, its first lane, or -1
	count  int   // lanes in all, with those that pad the last group
	levels int   // levels of all columns with lanes
}

type laneGroup struct {
	width int // words a row: 4, or 1 in the last group
	data  []uint64
}

// newLanes fills the lanes of every column with at most MostLevels levels.
func newLanes(t *Table) lanes {
	l := lanes{first: make([]int, len(t.columns))}
	used := 0
	for v := range t.columns {
		l.first[v] = -1
		if r := t.columns[v].levels; r <= MostLevels {
			l.first[v] = used
			used += r - 1
			l.levels += r
		}
	}
	for words := (used + 7) / 8; words > 0; {
		g := laneGroup{width: 4}
		if words == 1 {
			g.width = 1
		}
		words = max(0, words-g.width)
		g.data = make([]uint64, t.rows*g.width)
		l.groups = append(l.groups, g)
		l.count += 8 * g.width
	}
	for v := range t.columns {
		if l.first[v] < 0 {
			continue
		}
		last := uint8(t.columns[v].levels - 1)
		for i, k := range t.columns[v].narrow {
			if k == last {
				continue
			}
			lane := l.first[v] + int(k)
			g := &l.groups[lane/32]
			g.data[i*g.width+lane%32/8] |= 1 << (lane % 8 * 8)
		}
	}
	return l
}

// A Tally holds the counts of one configuration of the parents, for all columns that Extend counts.
type Tally struct {
	// Child[k] is the number of rows with level k of v.
	Child []uint32
	// Levels[x] are the counts with column x: entry l·len(Child) + k is the number of rows with level l of x
	// and level k of v. It is nil for the columns that Extend does not count.
	Levels [][]uint32
}

// Extend calls visit for every configuration of the parents that occurs in the rows that count for v, with the counts
// of each further column. A column with more than MostLevels levels is left out; v and the parents are in it like any
// other. The tally is valid during the call only. Extend reports false, and calls nothing, where the
// configurations that occur, times the levels of v, are more than max(65,536, 4·rows). Columns are then to be
// counted one by one, by Family.
//
// The rows are sorted by configuration, and each configuration's lanes are summed: O(n·(p + levels/8)) and
// O(levels·levels(v)) for each configuration that occurs.
func (c *Counter) Extend(v int, parents []int, visit func(*Tally)) bool {
	if c.bitLanesPay(parents) {
		c.way = byBitLanes
		c.prepareTally(v)
		c.extendBits(v, parents, visit)
		return true
	}
	return c.extendLanes(v, parents, visit)
}

// extendLanes is Extend for any columns and weights.
func (c *Counter) extendLanes(v int, parents []int, visit func(*Tally)) bool {
	t := c.t
	c.prepareTally(v)
	r := t.columns[v].levels
	seen := c.numberSeen(v, parents)
	if seen > c.limit/r {
		if seen = c.renumber(v); seen > c.limit/r {
			return false
		}
	}
	c.way = byLanes
	c.sortRows(v, seen)
	for j := range seen {
		if c.starts[j*r] == c.starts[(j+1)*r] {
			continue
		}
		clear(c.wide)
		weight := uint32(0)
		for k := range r {
			n := c.sum(c.wide[k*t.lanes.count:(k+1)*t.lanes.count], c.order[c.starts[j*r+k]:c.starts[j*r+k+1]])
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
	c.wide = zeroed(&c.wide, r*t.lanes.count)
	all := zeroed(&c.levels, r*(t.lanes.levels+1))
	c.tally.Child, all = all[:r], all[r:]
	for x := range t.columns {
		if t.lanes.first[x] >= 0 {
			size := r * t.columns[x].levels
			c.tally.Levels[x], all = all[:size], all[size:]
		}
	}
}

// sortRows sorts the rows that count for v by the configuration in c.ids and then by their level of v. Rows of cell i
// are c.order[c.starts[i]:c.starts[i+1]], ascending.
func (c *Counter) sortRows(v, seen int) {
	t := c.t
	r := t.columns[v].levels
	if len(c.order) < t.rows {
		c.order = make([]uint32, t.rows)
	}
	c.refine(v, v, seen)
	starts := zeroed(&c.starts, seen*r+2)[1:]
	for _, run := range t.runs[v] {
		for _, id := range c.ids[run.lo:run.hi] {
			starts[id+1]++
		}
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	// Each start is now moved to its end, so that the slice shifted by one has the starts.
	for _, run := range t.runs[v] {
		for i := run.lo; i < run.hi; i++ {
			at := &starts[c.ids[i]]
			c.order[*at] = uint32(i)
			*at++
		}
	}
	c.starts = c.starts[:seen*r+2]
}

// sum adds up the lanes of the given rows, each times its weight, and returns the sum of the weights.
func (c *Counter) sum(wide []uint32, rows []uint32) uint32 {
	l := &c.t.lanes
	if c.t.weights != nil {
		return c.sumWeighted(wide, rows)
	}
	total := uint32(len(rows))
	for len(rows) > 0 {
		part := rows[:min(len(rows), 255)]
		rows = rows[len(part):]
		out := wide
		for g := range l.groups {
			data := l.groups[g].data
			if l.groups[g].width == 1 {
				s := uint64(0)
				for _, i := range part {
					s += data[i]
				}
				widen(out[:8], s)
				continue
			}
			var s0, s1, s2, s3 uint64
			for _, i := range part {
				d := data[4*int(i) : 4*int(i)+4]
				s0 += d[0]
				s1 += d[1]
				s2 += d[2]
				s3 += d[3]
			}
			widen(out[:8], s0)
			widen(out[8:16], s1)
			widen(out[16:24], s2)
			widen(out[24:32], s3)
			out = out[32:]
		}
	}
	return total
}

// sumWeighted is sum with weights. A lane is 0 or 1, so a product with a weight below 256 stays in its byte.
func (c *Counter) sumWeighted(wide []uint32, rows []uint32) (total uint32) {
	l := &c.t.lanes
	weights := c.t.weights
	for len(rows) > 0 {
		size, weight := 0, uint32(0)
		for size < len(rows) && weights[rows[size]] <= 255-weight {
			weight += weights[rows[size]]
			size++
		}
		part, factor := rows[:size], uint32(1)
		if size == 0 { // one row whose weight does not fit into a byte
			part, factor = rows[:1], weights[rows[0]]
			weight = factor
		}
		rows = rows[len(part):]
		total += weight
		out := wide
		for g := range l.groups {
			width := l.groups[g].width
			for k := range width {
				s := uint64(0)
				for _, i := range part {
					w := uint64(weights[i])
					if factor != 1 {
						w = 1
					}
					s += w * l.groups[g].data[int(i)*width+k]
				}
				for b := range 8 {
					out[b] += factor * uint32(s>>(8*b)&255)
				}
				out = out[8:]
			}
		}
	}
	return total
}

// widen adds the eight bytes of s to out.
func widen(out []uint32, s uint64) {
	_ = out[7]
	out[0] += uint32(s & 255)
	out[1] += uint32(s >> 8 & 255)
	out[2] += uint32(s >> 16 & 255)
	out[3] += uint32(s >> 24 & 255)
	out[4] += uint32(s >> 32 & 255)
	out[5] += uint32(s >> 40 & 255)
	out[6] += uint32(s >> 48 & 255)
	out[7] += uint32(s >> 56)
}

// spread writes the sums of the lanes to the tally; a column's last level is what its others leave of Child.
func (c *Counter) spread() {
	t := c.t
	r := len(c.tally.Child)
	for x, counts := range c.tally.Levels {
		if counts == nil {
			continue
		}
		first, last := t.lanes.first[x], (t.columns[x].levels-1)*r
		for k, n := range c.tally.Child {
			lane := k*t.lanes.count + first
			for l := 0; l < last; l += r {
				m := c.wide[lane]
				counts[l+k] = m
				n -= m
				lane++
			}
			counts[last+k] = n
		}
	}
}
