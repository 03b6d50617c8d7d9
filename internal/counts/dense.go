package counts

// blockRows is the number of rows whose configurations are computed before counting, so that they stay in the
// L1 cache.
const blockRows = 1024

// familyDense uses a counter for each of the size configurations of parents and v. Configuration j·levels(v) +
// k has level k of v.
func (c *Counter) familyDense(v int, parents []int, size int) (cells, configs []uint32) {
	t := c.t
	cells = zeroed(&c.cells, size)
	for _, r := range t.runs[v] {
		for lo := r.lo; lo < r.hi; lo += blockRows {
			hi := min(lo+blockRows, r.hi)
			ids := c.block[:hi-lo]
			t.number(ids, lo, v, parents)
			if t.weights == nil {
				for _, id := range ids {
					cells[id]++
				}
				continue
			}
			for i, w := range t.weights[lo:hi] {
				cells[ids[i]] += w
			}
		}
	}
	return cells, c.marginal(cells, t.columns[v].levels)
}

// number writes the configurations of v and the parents in the rows from lo on to ids, with v in the lowest
// place. The number of configurations must fit into 32 bits.
func (t *Data) number(ids []uint32, lo, v int, parents []int) {
	clear(ids)
	t.columns[v].add(ids, lo, 1)
	stride := uint32(t.columns[v].levels)
	for len(parents) > 0 {
		a := &t.columns[parents[0]]
		next := stride * uint32(a.levels)
		if len(parents) > 1 {
			if b := &t.columns[parents[1]]; a.narrow != nil && b.narrow != nil {
				addPair(ids, a.narrow[lo:lo+len(ids)], b.narrow[lo:lo+len(ids)], stride, next)
				stride, parents = next*uint32(b.levels), parents[2:]
				continue
			}
		}
		a.add(ids, lo, stride)
		stride, parents = next, parents[1:]
	}
}

// addPair adds two columns in one pass.
func addPair(ids []uint32, a, b []uint8, strideA, strideB uint32) {
	a, b = a[:len(ids)], b[:len(ids)]
	for i := range ids {
		ids[i] += strideA*uint32(a[i]) + strideB*uint32(b[i])
	}
}

// add adds stride times the level of the column, in the rows from lo on, to ids.
func (c *column) add(ids []uint32, lo int, stride uint32) {
	switch {
	case c.narrow != nil:
		addCodes(ids, c.narrow[lo:lo+len(ids)], stride)
	case c.middle != nil:
		addCodes(ids, c.middle[lo:lo+len(ids)], stride)
	default:
		addCodes(ids, c.wide[lo:lo+len(ids)], stride)
	}
}

func addCodes[T uint8 | uint16 | uint32](ids []uint32, codes []T, stride uint32) {
	codes = codes[:len(ids)]
	for i, k := range codes {
		ids[i] += stride * uint32(k)
	}
}

// marginal sums groups of r adjacent cells.
func (c *Counter) marginal(cells []uint32, r int) []uint32 {
	configs := zeroed(&c.configs, len(cells)/r)
	for j := range configs {
		sum := uint32(0)
		for _, n := range cells[j*r : (j+1)*r] {
			sum += n
		}
		configs[j] = sum
	}
	return configs
}
