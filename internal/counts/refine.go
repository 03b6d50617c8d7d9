package counts

import (
	"math/bits"

	"github.com/polydag/polydag/internal/vec"
)

// A Visit receives the counts of one configuration: the number of its rows and, of all other columns, the number with each level.
// Column i of a Group has the counts of its levels except the last one from First + i·(Levels - 1) on, in few if there are at most
// 255 rows, otherwise in many. Both may be nil for a single row. They are valid only during the call, and may be longer than the lanes.
type Visit func(rows uint32, few []uint8, many []uint32)

// Refine calls cells for every configuration of v and the parents that occurs in the rows that count for v, and configs for every
// configuration of the parents alone, in any order. One of them may be nil. It returns false without a call if too many
// configurations occur, as Extend does.
//
// A sum over the cells of v, the parents and a further column needs no more. Extend also knows the level of v, for which it fills in
// all levels of v that do not occur with a configuration of the parents: most cells of a large table. The cost is O(n·(p +
// levels/64)), plus O(levels) for each configuration that occurs.
func (c *Counter) Refine(v int, parents []int, cells, configs Visit) bool {
	t := c.t
	r := t.columns[v].levels
	seen, ok := c.numberCells(v, parents)
	if !ok {
		return false
	}
	c.way = byRefining
	c.sortRows(v, seen*r)
	if size := 64 * t.lanes.width; len(c.both) < size {
		c.few, c.many, c.both = make([]uint8, size), make([]uint32, size), make([]uint32, size)
	}
	for j := range seen {
		starts := c.starts[j*r : (j+1)*r+1]
		all := c.order[starts[0]:starts[r]]
		if len(all) == 0 {
			continue
		}
		if cells == nil {
			c.tell(all, false, configs)
			continue
		}
		whole := uint32(0)
		for k, lo := range starts[:r] {
			rows := c.order[lo:starts[k+1]]
			if len(rows) == 0 {
				continue
			}
			n, few, many := c.tell(rows, configs != nil, cells)
			if configs == nil || n == 0 {
				continue
			}
			if len(rows) == len(all) { // the parents have the same counts
				configs(n, few, many)
				break
			}
			if whole == 0 {
				clear(c.both)
			}
			whole += n
			addTo(c.both, few, many)
		}
		if whole > 0 {
			c.tellBoth(whole, configs)
		}
	}
	return true
}

// tell counts the lanes of the given rows and calls visit. For a single row it counts only if lanes is true.
func (c *Counter) tell(rows []uint32, lanes bool, visit Visit) (n uint32, few []uint8, many []uint32) {
	if n = c.weigh(rows); n == 0 {
		return n, nil, nil
	}
	if n > 1 || lanes {
		few, many = c.countLanes(rows, n)
	}
	visit(n, few, many)
	return n, few, many
}

// tellBoth calls visit with c.both, the counts of so many rows.
func (c *Counter) tellBoth(rows uint32, visit Visit) {
	if rows > mostFew {
		visit(rows, nil, c.both)
		return
	}
	few := c.few[:len(c.both)]
	for i, n := range c.both {
		few[i] = uint8(n)
	}
	visit(rows, few, nil)
}

// mostFew is the largest count that fits in a byte.
const mostFew = 255

// countLanes returns the weight of the given rows in each lane; total is the weight of all.
func (c *Counter) countLanes(rows []uint32, total uint32) (few []uint8, many []uint32) {
	planes, width := c.fill(rows, total), c.t.lanes.width
	if total > mostFew {
		c.unpack(c.many, planes, width, total)
		return nil, c.many
	}
	vec.SpreadBits(c.few, planes, width, bits.Len32(total))
	return c.few, nil
}

// addTo adds few or many to sums.
func addTo(sums []uint32, few []uint8, many []uint32) {
	if few != nil {
		few = few[:len(sums)]
		for i, n := range few {
			sums[i] += uint32(n)
		}
		return
	}
	many = many[:len(sums)]
	for i, n := range many {
		sums[i] += n
	}
}
