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
