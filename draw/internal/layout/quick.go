package layout

import (
	"cmp"
	"slices"
)

// quick assigns layers by longest paths and orders each layer by the mean position of the neighbors, four times
// down and up. It costs O(E + d log d) per sweep and is for graphs whose single edges cannot be read in any
// drawing.
func (d *Drawing) quick(g Graph, down []bool, opt Settings) {
	layer := layers(g, down)
	top := slices.Max(layer) + 1
	rows := make([][]int, top)
	near := make([][]int, len(g.Nodes))
	for _, e := range g.Edges {
		near[e.From], near[e.To] = append(near[e.From], e.To), append(near[e.To], e.From)
	}
	for v, k := range layer {
		if len(near[v]) > 0 {
			rows[k] = append(rows[k], v)
		}
	}
	place := func(row []int) {
		total := -opt.NodeGap
		for _, v := range row {
			total += g.Nodes[v].Width + opt.NodeGap
		}
		x := -total / 2
		for _, v := range row {
			d.Nodes[v].X = x + g.Nodes[v].Width/2
			x += g.Nodes[v].Width + opt.NodeGap
		}
	}
	for _, row := range rows {
		place(row)
	}
	wish := make([]float64, len(g.Nodes))
	for sweep := range 8 {
		for step := range rows {
			k := step
			if sweep%2 == 1 {
				k = top - 1 - step
			}
			for _, v := range rows[k] {
				wish[v] = 0
				for _, u := range near[v] {
					wish[v] += d.Nodes[u].X / float64(len(near[v]))
				}
			}
			slices.SortStableFunc(rows[k], func(a, b int) int { return cmp.Compare(wish[a], wish[b]) })
			place(rows[k])
		}
	}
	left, right, y := 0.0, 0.0, 0.0
	for k, row := range rows {
		high := 0.0
		for _, v := range row {
			high = max(high, g.Nodes[v].Height)
			left, right = min(left, d.Nodes[v].X-g.Nodes[v].Width/2), max(right, d.Nodes[v].X+g.Nodes[v].Width/2)
		}
		for _, v := range row {
			d.Nodes[v].Y = y + high/2
		}
		y += high
		if k+1 < top {
			y += opt.LayerGap
		}
	}
	for v := range d.Nodes {
		if len(near[v]) > 0 {
			d.Nodes[v].X -= left
		}
	}
	d.Width, d.Height = right-left, y
}
