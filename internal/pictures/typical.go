package pictures

import (
	"cmp"
	"slices"
)

const (
	// mostShown is the largest number of pictures of a cell, and mostTried the number of rows that may be tried for
	// them, because images can be missing or damaged.
	mostShown, mostTried = 16, 48
	// mostCompared is the largest number of rows of a cell that are compared. Of a larger cell they are evenly spaced.
	mostCompared = 5000
)

// typical returns rows of a cell, the most typical first: those that agree with most of the modal values of the
// cell in the other columns; ties by row number. others are the groupings of the other columns.
func typical(cell []int32, others []*grouping) []int32 {
	if n := len(cell); n > mostCompared {
		some := make([]int32, mostCompared)
		for k := range some {
			some[k] = cell[k*n/mostCompared]
		}
		cell = some
	}
	agrees := make([]int, len(cell))
	for _, g := range others {
		mode := modal(cell, g)
		for k, row := range cell {
			if c := g.codes[row]; c == mode && c != noGroup {
				agrees[k]++
			}
		}
	}
	order := make([]int, len(cell))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(agrees[b]-agrees[a], int(cell[a])-int(cell[b])) })
	out := make([]int32, min(len(order), mostTried))
	for k := range out {
		out[k] = cell[order[k]]
	}
	return out
}

// modal returns the most frequent group of the rows, the first one of several, or noGroup if no row has a group.
func modal(rows []int32, g *grouping) uint8 {
	counts := make([]int, len(g.labels))
	for _, row := range rows {
		if c := g.codes[row]; c != noGroup {
			counts[c]++
		}
	}
	most := 0
	for c, n := range counts {
		if n > counts[most] {
			most = c
		}
	}
	if counts[most] == 0 {
		return noGroup
	}
	return uint8(most)
}
