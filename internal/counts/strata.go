package counts

// Strata calls visit with the table of x and y in each occurring configuration of the set: entry k·levels(x) +
// i counts the rows with level i of x and level k of y. The table is valid until visit returns. x, y and the
// set must be distinct, and no row may have targets. The order of the configurations depends only on the levels
// if each has a counter, and otherwise on the rows.
func (c *Counter) Strata(x, y int, set []int, visit func(table []uint32)) {
	t := c.t
	block := t.columns[x].levels * t.columns[y].levels
	c.parents = append(append(c.parents[:0], y), set...)
	if size, ok := c.sizeWithin(max(1<<16, 4*t.Given()), x, c.parents); ok { // the order of the strata must follow the rows before merging
		cells := c.dense(x, size)
		for at := 0; at < size; at += block {
			visit(cells[at : at+block])
		}
		return
	}
	c.numberSeen(x, set)
	seen := c.renumber(x)
	c.starts = append(c.starts[:0], make([]uint32, seen+1)...)
	for _, id := range c.ids[:t.rows] {
		c.starts[id+1]++
	}
	for k := range seen {
		c.starts[k+1] += c.starts[k]
	}
	c.order = append(c.order[:0], make([]uint32, t.rows)...)
	for i, id := range c.ids[:t.rows] {
		c.order[c.starts[id]] = uint32(i)
		c.starts[id]++
	}
	first := uint32(0)
	for k := range seen {
		cells := zeroed(&c.cells, block)
		for _, i := range c.order[first:c.starts[k]] {
			cells[int(t.columns[y].at(int(i)))*t.columns[x].levels+int(t.columns[x].at(int(i)))] += t.Weight(int(i))
		}
		first = c.starts[k]
		visit(cells)
	}
}

// dense counts every configuration of v and c.parents, by bits if all are binary.
func (c *Counter) dense(v, size int) []uint32 {
	parents := c.parents
	if c.bitsPay(v, parents) {
		cells, _ := c.familyBits(v, parents)
		return cells
	}
	cells, _ := c.familyDense(v, parents, size)
	return cells
}

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
