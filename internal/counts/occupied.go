package counts

// Cells is Family with a counter for each configuration: entry j·levels(v) + k counts level k of v, and in j the level of the first
// parent has stride 1. It reports false if there are too many configurations.
func (c *Counter) Cells(v int, parents []int) (cells []uint32, ok bool) {
	size, ok := c.size(v, parents)
	if !ok {
		return nil, false
	}
	c.parents = append(c.parents[:0], parents...)
	return c.dense(v, size), true
}

// Occupied counts the configurations of the parents that occur, for any number of configurations. Entry j·levels(v) + k of cells
// counts the rows with configuration j and level k of v, and first[j] is a row with that configuration.
func (c *Counter) Occupied(v int, parents []int) (cells, first []uint32) {
	t := c.t
	c.numberSeen(v, parents)
	seen := c.renumber(v)
	r := t.columns[v].levels
	cells = zeroed(&c.cells, seen*r)
	first = zeroed(&c.configs, seen)
	for _, run := range t.runs[v] {
		for i := run.lo; i < run.hi; i++ {
			id := c.ids[i]
			first[id] = uint32(i)
			cells[int(id)*r+int(t.columns[v].at(i))] += t.Weight(i)
		}
	}
	return cells, first
}
