package counts

// A Counter counts in a table. It has scratch memory, so each goroutine needs its own.
type Counter struct {
	t     *Data
	limit int // largest number of configurations with a counter each
	way   way // way of the last count

	cells, configs []uint32
	block          [blockRows]uint32

	// bits.go
	sets    [][]uint64
	parents []int
	v       int
	child   []uint64 // bits of v

	// joint.go, sortlanes.go
	family           []int
	slot             []slot
	gathered, sorted [][]uint64
	last             joint // see latest
	whole, part      joint // see Hold and within
	folded           [2][]uint32

	// rare.go
	path, places []int
	list         []uint32

	// sparse.go
	ids  []uint32
	hash hash

	// lanes.go, vertical.go
	order, starts []uint32
	wide          [][]uint32 // by level of the child
	sums, levels  []uint32
	planes        vertical
	bits          []uint64 // planes of all lanes
	tally         Tally

	// refine.go
	few        []uint8
	many, both []uint32
}

// way is a way of counting.
type way int

const (
	byBits way = iota + 1
	byDense
	bySparse
	byLanes
	byJoint
	byRefining
)

// Counter returns a counter for one goroutine.
func (t *Data) Counter() *Counter {
	return &Counter{t: t, limit: max(1<<16, 4*t.rows)}
}

// Family counts the rows that count for v. cells has the count of each parent configuration with each level of
// v, and configs the count of each parent configuration. The lists have no particular order, may contain zeros,
// and are valid until the next call. v must not be among the parents, and parents must be distinct.
func (c *Counter) Family(v int, parents []int) (cells, configs []uint32) {
	if c.bitsPay(v, parents) {
		c.way = byBits
		return c.familyBits(v, parents)
	}
	if size, ok := c.size(v, parents); ok {
		c.way = byDense
		return c.familyDense(v, parents, size)
	}
	c.way = bySparse
	return c.familySparse(v, parents)
}

// size returns the number of configurations of v and its parents, and whether it is within the limit.
func (c *Counter) size(v int, parents []int) (int, bool) { return c.sizeWithin(c.limit, v, parents) }

func (c *Counter) sizeWithin(limit, v int, parents []int) (int, bool) {
	size := c.t.columns[v].levels
	for _, p := range parents {
		if size > limit/c.t.columns[p].levels {
			return 0, false
		}
		size *= c.t.columns[p].levels
	}
	return size, size <= limit
}

// zeroed returns a slice of n zeros in the memory of *buf, which grows if needed.
func zeroed(buf *[]uint32, n int) []uint32 {
	if cap(*buf) < n {
		*buf = make([]uint32, n+n/4)
	}
	s := (*buf)[:n]
	clear(s)
	return s
}
