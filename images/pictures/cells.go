package pictures

import (
	"cmp"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/parallel"
)

// holders returns the cells of all variables and edges and the matches of effects, with the rows that they could show.
func (b *builder) holders(edges []graph.Link, effects []Effect) []holder {
	variables := b.rows.variables
	alone, grid := make([]*grouping, len(variables)), make([]*grouping, len(variables))
	parallel.For(len(variables), b.set.Threads, func(j int) { alone[j], grid[j] = variables[j].groups() })
	place := map[string]int{}
	for j, v := range variables {
		if grid[j] != nil {
			place[v.name] = j
		}
	}
	others := func(without ...int) []*grouping {
		var list []*grouping
		for j, g := range grid {
			if g != nil && j != without[0] && j != without[len(without)-1] {
				list = append(list, g)
			}
		}
		return list
	}
	var tasks []func()
	var list []holder
	for j, v := range variables {
		if alone[j] == nil {
			continue
		}
		e := Examples{Name: v.name, Groups: make([]Cell, len(alone[j].labels))}
		b.out.Variables = append(b.out.Variables, e)
		for k := range e.Groups {
			list = append(list, &e.Groups[k])
		}
		tasks = append(tasks, func() { b.examples(e.Groups, &v, alone[j], others(j)) })
	}
	seen := map[graph.Link]bool{}
	for _, e := range edges {
		from, ok := place[e.From]
		to, also := place[e.To]
		if !ok || !also || from == to || seen[e] || seen[graph.Link{From: e.To, To: e.From}] {
			continue
		}
		seen[e] = true
		g := Grid{Link: e, Rows: grid[from].labels, Cols: grid[to].labels, Cells: make([][]Cell, len(grid[from].labels))}
		for k := range g.Cells {
			g.Cells[k] = make([]Cell, len(g.Cols))
			for l := range g.Cells[k] {
				list = append(list, &g.Cells[k][l])
			}
		}
		b.out.Edges = append(b.out.Edges, g)
		tasks = append(tasks, func() { b.combinations(g, grid[from], grid[to], others(from, to)) })
	}
	parallel.For(len(tasks), b.set.Threads, func(k int) { tasks[k]() })
	b.out.Matches = b.matches(effects, alone, grid)
	for _, m := range b.out.Matches {
		list = append(list, m)
	}
	return list
}

// examples fills the cells of a variable. Shares are of the rows that have a value.
func (b *builder) examples(cells []Cell, v *variable, g *grouping, others []*grouping) {
	counts := make([]int, len(cells))
	shown := make([][]int32, len(cells))
	n := 0
	for i, c := range g.codes {
		if _, ok := v.level(i); ok {
			n++
		}
		if c != noGroup {
			counts[c]++
			if b.paths[i] != "" {
				shown[c] = append(shown[c], int32(i))
			}
		}
	}
	for c := range cells {
		cells[c] = Cell{Label: g.labels[c], Share: float64(counts[c]) / float64(n), Pictures: []int{}, ranked: typical(shown[c], others)}
	}
}

// combinations fills the cells of an edge. Shares are of the rows that have both values.
func (b *builder) combinations(grid Grid, from, to *grouping, others []*grouping) {
	rows, columns := len(grid.Rows), len(grid.Cols)
	counts := make([]int, rows*columns)
	shown := make([][]int32, rows*columns)
	inRow, inColumn, n := make([]int, rows), make([]int, columns), 0
	for i, r := range from.codes {
		c := to.codes[i]
		if r == noGroup || c == noGroup {
			continue
		}
		n++
		inRow[r]++
		inColumn[c]++
		k := int(r)*columns + int(c)
		counts[k]++
		if b.paths[i] != "" {
			shown[k] = append(shown[k], int32(i))
		}
	}
	total := float64(max(n, 1))
	for r := range rows {
		for c := range columns {
			k := r*columns + c
			grid.Cells[r][c] = Cell{
				Share: float64(counts[k]) / total, Expected: float64(inRow[r]) / total * float64(inColumn[c]) / total,
				Pictures: []int{}, ranked: typical(shown[k], others),
			}
		}
	}
}

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
	order := intset.Range(0, len(cell))
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
