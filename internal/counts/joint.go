package counts

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// A joint has the counts of a set of columns: the number of rows of each configuration, and the number in each
// lane. It serves every column of the set as a child of the others: Extend, Family, and Family without one of
// the parents.
//
// A set usually grows by one column at a time, so the joint of the set without some column x is often cached.
// Then only the rows in which x does not have its most common level must be counted; the others follow by
// subtraction (the AD-tree of Moore and Lee 1998). For a binary column that is 1 in a fifth of the rows, four
// fifths are skipped. The cost is O(m·s) for m such rows and s columns, plus O(configurations·lanes).
type joint struct {
	set   []int
	rows  []uint32 // by configuration Σ stride·level; the stride of the first column is 1
	lanes []uint32 // by configuration, then lane
}

// joints caches the joints of a table without weights and targets, for all its counters. Counts do not depend
// on the cache.
type joints struct {
	once   sync.Once
	common []uint32   // most common level of each column; the smallest if tied
	rare   [][]uint32 // by column: the rows without that level, ascending
	// rareBits are the same rows as bit sets, for binary columns. rank orders the columns by the number of such
	// rows, fewest first. tree caches intersections of the sets (rare.go).
	rareBits [][]uint64
	rank     []int
	tree     atomic.Pointer[rareNode]
	treeSize atomic.Int64

	bySet BySet[*joint]
}

const (
	mostJoint   = 1 << 17  // largest number of values in one joint, or four per row if that is more
	jointMemory = 12 << 20 // values in a generation: 48 MB
)

// JointBytes limits the memory of the cached joints of a table.
const JointBytes = 2*4*jointMemory + 4*rareMemory

func newJoints() *joints { return &joints{bySet: BySet[*joint]{Most: jointMemory}} }

// find finds the most common level of each column. It costs O(n·d) once per table.
func (js *joints) find(t *Data) {
	js.once.Do(func() {
		js.common, js.rare = make([]uint32, len(t.columns)), make([][]uint32, len(t.columns))
		js.rareBits = make([][]uint64, len(t.columns))
		for v := range t.columns {
			c := &t.columns[v]
			if t.lanes.first[v] < 0 {
				continue
			}
			count := make([]int, c.levels)
			for _, k := range c.narrow {
				count[k]++
			}
			most := 0
			for k, n := range count {
				if n > count[most] {
					most = k
				}
			}
			rare := make([]uint32, 0, t.rows-count[most])
			for i, k := range c.narrow {
				if int(k) != most {
					rare = append(rare, uint32(i))
				}
			}
			js.common[v], js.rare[v] = uint32(most), rare
			if js.rareBits[v] = c.bits; c.levels == 2 && most == 1 {
				js.rareBits[v] = make([]uint64, words(t.rows))
				for _, i := range rare {
					js.rareBits[v][i/64] |= 1 << (i % 64)
				}
			}
		}
		js.rank = make([]int, len(t.columns))
		order := make([]int, len(t.columns))
		for v := range order {
			order[v] = v
		}
		slices.SortStableFunc(order, func(a, b int) int { return len(js.rare[a]) - len(js.rare[b]) })
		for at, v := range order {
			js.rank[v] = at
		}
	})
}

// get returns the joint of an ascending set, or nil.
func (js *joints) get(set []int) *joint {
	j, _ := js.bySet.Get(set)
	return j
}

// put stores a joint.
func (js *joints) put(j *joint) { js.bySet.Put(j.set, j, len(j.rows)+len(j.lanes)) }

// Joinable reports whether the joint of v and its parents is small enough. It stores them, ascending, in c.family.
func (c *Counter) Joinable(v int, parents []int) bool {
	t := c.t
	if t.joints == nil {
		return false
	}
	at, _ := slices.BinarySearch(parents, v)
	c.family = append(append(append(c.family[:0], parents[:at]...), v), parents[at:]...)
	size := t.lanes.count + 1
	for _, x := range c.family {
		levels := t.columns[x].levels
		if t.lanes.first[x] < 0 || size > max(mostJoint, 4*t.rows)/levels {
			return false
		}
		size *= levels
	}
	return true
}

// Joined is Extend by means of the joint of v and its parents. It returns false without calling visit if the
// joint would be too large or rows have weights or targets.
func (c *Counter) Joined(v int, parents []int, visit func(*Tally)) bool {
	if !c.Joinable(v, parents) {
		return false
	}
	c.way = byJoint
	c.prepareTally(v)
	j := c.joint(c.family)
	j.visit(c, v, visit)
	return true
}

// Known is Family if the joint of v and its parents is cached, or follows from that of Hold or from one without a column; otherwise ok is
// false.
func (c *Counter) Known(v int, parents []int) (cells, configs []uint32, ok bool) {
	if !c.Joinable(v, parents) {
		return nil, nil, false
	}
	j := c.t.joints.get(c.family)
	if j == nil {
		j = c.within(c.family)
	}
	if j == nil {
		j = c.extended(c.family)
	}
	if j == nil {
		return nil, nil, false
	}
	return j.rows, j.without(c, &c.configs, v, j.rows), true
}

// heldRows is the smallest number of rows for each configuration of a set that Hold counts. Summing over configurations is then faster than
// counting rows.
const heldRows = 2

// Hold counts the rows of an ascending set once, so that Known has the counts of all its subsets until the next call. It does nothing if
// there are too many configurations, or if rows have weights or targets.
func (c *Counter) Hold(set []int) {
	if slices.Equal(c.whole.set, set) {
		return
	}
	c.whole.set = c.whole.set[:0]
	if c.t.joints == nil || len(set) == 0 {
		return
	}
	c.parents = append(c.parents[:0], set[1:]...)
	if size, ok := c.sizeWithin(c.t.rows/heldRows, set[0], c.parents); ok {
		c.whole.set, c.whole.rows = append(c.whole.set, set...), append(c.whole.rows[:0], c.dense(set[0], size)...)
	}
}

// within returns the joint of an ascending set without lanes from that of Hold, or nil if it is not a subset. It is valid until the next call.
func (c *Counter) within(set []int) *joint {
	for _, x := range set {
		if _, is := slices.BinarySearch(c.whole.set, x); !is {
			return nil
		}
	}
	if len(c.whole.set) == 0 {
		return nil
	}
	rows, stride, spare := c.whole.rows, len(c.whole.rows), 0
	for i := len(c.whole.set) - 1; i >= 0; i-- {
		x := c.whole.set[i]
		levels := c.t.columns[x].levels
		stride /= levels
		if _, is := slices.BinarySearch(set, x); !is {
			c.folded[spare] = SumOver(c.folded[spare], rows, stride, levels)
			rows, spare = c.folded[spare], 1-spare
		}
	}
	c.part.set, c.part.rows = append(c.part.set[:0], set...), rows
	return &c.part
}

// extended returns the joint of an ascending set without lanes from a cached one without some column, whose lanes count the levels of that
// column, or nil if there is none. It is valid until the next call.
func (c *Counter) extended(set []int) *joint {
	t, stride := c.t, 1
	for i, x := range set {
		levels := t.columns[x].levels
		c.parents = append(append(c.parents[:0], set[:i]...), set[i+1:]...)
		less := t.joints.get(c.parents)
		if less == nil {
			stride *= levels
			continue
		}
		rows := zeroed(&c.folded[0], len(less.rows)*levels)
		for id, left := range less.rows {
			to, lane := id/stride*stride*levels+id%stride, id*t.lanes.count+t.lanes.first[x]
			for _, n := range less.lanes[lane : lane+levels-1] {
				rows[to] = n
				left -= n
				to += stride
			}
			rows[to] = left
		}
		c.part.set, c.part.rows = append(c.part.set[:0], set...), rows
		return &c.part
	}
	return nil
}

// Less is Family without parent i, computed from the counts of v and all its parents; ok is false if these would
// be too many. It counts once for all i.
func (c *Counter) Less(v int, parents []int, i int) (cells, configs []uint32, ok bool) {
	if !c.Joinable(v, parents) {
		return nil, nil, false
	}
	j := c.t.joints.get(c.family)
	if j == nil {
		j = c.latest(c.family)
	}
	cells = j.without(c, &c.cells, parents[i], j.rows)
	rest := joint{set: slices.DeleteFunc(c.family, func(x int) bool { return x == parents[i] })}
	return cells, rest.without(c, &c.configs, v, cells), true
}

// latest returns the joint of an ascending set without lanes. It is valid until it is called with another set.
func (c *Counter) latest(set []int) *joint {
	j := &c.last
	if !slices.Equal(j.set, set) {
		c.parents = append(c.parents[:0], set[1:]...)
		size, _ := c.sizeWithin(math.MaxInt, set[0], c.parents)
		j.set, j.rows = append(j.set[:0], set...), append(j.rows[:0], c.dense(set[0], size)...)
	}
	return j
}

// without sums the rows over the levels of x.
func (j *joint) without(c *Counter, buf *[]uint32, x int, rows []uint32) []uint32 {
	levels := c.t.columns[x].levels
	return SumOver(zeroed(buf, len(rows)/levels), rows, j.stride(c.t, x), levels)
}

// SumOver sums cells over the levels of the column with this stride, in the memory of dst, which grows if needed.
func SumOver(dst, cells []uint32, stride, levels int) []uint32 {
	dst = zeroed(&dst, len(cells)/levels)
	to := 0
	for base := 0; base < len(cells); base += stride * levels {
		for k := range levels {
			for i, n := range cells[base+k*stride : base+(k+1)*stride] {
				dst[to+i] += n
			}
		}
		to += stride
	}
	return dst
}

// stride returns the increase of the configuration index per level of x.
func (j *joint) stride(t *Data, x int) int {
	s := 1
	for _, v := range j.set {
		if v == x {
			break
		}
		s *= t.columns[v].levels
	}
	return s
}

// visit calls visit for every configuration of the columns other than v.
func (j *joint) visit(c *Counter, v int, visit func(*Tally)) {
	t := c.t
	stride, r, lanes := j.stride(t, v), t.columns[v].levels, t.lanes.count
	for base := 0; base < len(j.rows); base += stride * r {
		for first := base; first < base+stride; first++ {
			sum := uint32(0)
			for k := range r {
				n := j.rows[first+k*stride]
				c.tally.Child[k] = n
				sum += n
			}
			if sum == 0 {
				continue
			}
			for k := range r {
				at := (first + k*stride) * lanes
				c.wide[k] = j.lanes[at : at+lanes]
			}
			c.spread()
			visit(&c.tally)
		}
	}
}

// joint returns the joint of an ascending set. If it is not cached, it is computed from the joint without one
// column: the one with the fewest rows to count among those with a cached smaller joint, or among all.
func (c *Counter) joint(set []int) *joint {
	js := c.t.joints
	if j := js.get(set); j != nil {
		return j
	}
	js.find(c.t)
	if len(set) == 0 {
		j := &joint{rows: []uint32{uint32(c.t.rows)}, lanes: make([]uint32, c.t.lanes.count)}
		c.sum(j.lanes, c.all())
		js.put(j)
		return j
	}
	set = slices.Clone(set)
	var smaller *joint
	x, any := -1, set[0]
	less := make([]int, 0, len(set))
	for _, y := range set {
		if len(js.rare[y]) < len(js.rare[any]) {
			any = y
		}
		if x >= 0 && len(js.rare[y]) >= len(js.rare[x]) {
			continue
		}
		less = append(less[:0], set...)
		less = slices.DeleteFunc(less, func(v int) bool { return v == y })
		if j := js.get(less); j != nil {
			x, smaller = y, j
		}
	}
	if smaller == nil {
		x = any
		less = append(less[:0], set...)
		smaller = c.joint(slices.DeleteFunc(less, func(v int) bool { return v == x }))
	}
	join := c.join
	if c.rarePays(set, x) {
		join = c.joinRare
	}
	j := join(set, x, smaller)
	js.put(j)
	return j
}

func (c *Counter) all() []uint32 {
	rows := make([]uint32, c.t.rows)
	for i := range rows {
		rows[i] = uint32(i)
	}
	return rows
}

// join computes the joint of a set from the joint without its member x.
func (c *Counter) join(set []int, x int, smaller *joint) *joint {
	t := c.t
	rare, common := t.joints.rare[x], int(t.joints.common[x])
	r, lanes := t.columns[x].levels, t.lanes.count
	size := len(smaller.rows) * r
	j := &joint{set: set, rows: make([]uint32, size), lanes: make([]uint32, size*lanes)}
	c.sortLanes(set, rare, size)
	for id := range size {
		if lo, hi := c.starts[id], c.starts[id+1]; lo < hi {
			c.sumSorted(j.lanes[id*lanes:(id+1)*lanes], int(lo), int(hi))
			j.rows[id] = hi - lo
		}
	}
	j.rest(smaller, j.stride(t, x), r, common, lanes)
	return j
}

// rest fills in the configurations in which the column with the given stride and r levels has its common level.
// They are the smaller joint minus the others.
func (j *joint) rest(smaller *joint, stride, r, common, lanes int) {
	for from, left := range smaller.rows {
		if left == 0 {
			continue
		}
		to := from/stride*stride*r + from%stride
		rest := j.lanes[(to+common*stride)*lanes:][:lanes]
		copy(rest, smaller.lanes[from*lanes:])
		for k := range r {
			n := j.rows[to+k*stride]
			if k == common || n == 0 {
				continue
			}
			left -= n
			subtractFrom(rest, j.lanes[(to+k*stride)*lanes:])
		}
		j.rows[to+common*stride] = left
	}
}
