package page

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// fold folds a layered drawing that is much wider than a window, because everything in it would be too small.
// It compresses the drawing horizontally and gives each layer as many rows as its boxes need, so that it is
// about as wide as a window. Layers keep their order, so causes stay above effects. Curves would cross boxes,
// so they become straight lines.
//
// It chooses the factor with the largest scale in a window, if that is at least 1.5 times as large.
func (d *drawing) fold(linked []bool) {
	const windowWidth, windowHeight, worth = 1600.0, 1000.0, 1.5
	width, height := extent(of(d.Nodes, linked), d.Routes)
	scale := min(windowWidth/width, windowHeight/height)
	var best [][4]float64
	most := worth * scale
	for m := 2.0; m <= 32; m++ {
		nodes := pressed(d.Nodes, linked, m)
		w, h := extent(of(nodes, linked), nil)
		if s := min(windowWidth/w, windowHeight/h); s > most {
			best, most = nodes, s
		}
	}
	if best == nil {
		return
	}
	d.Nodes = best
	for k := range d.Routes {
		d.Routes[k].Points, d.Routes[k].Label = nil, nil
	}
}

// of returns the boxes of variables with an edge, or all boxes if there are no edges.
func of(nodes [][4]float64, linked []bool) [][4]float64 {
	var out [][4]float64
	for v, n := range nodes {
		if linked[v] {
			out = append(out, n)
		}
	}
	if out == nil {
		return nodes
	}
	return out
}

const (
	boxGap   = 16.0 // between boxes of a row
	rowGap   = 12.0 // between rows of a layer
	layerGap = 70.0 // between layers
)

// pressed returns the boxes with x divided by m and rows within layers.
func pressed(nodes [][4]float64, linked []bool, m float64) [][4]float64 {
	out := slices.Clone(nodes)
	byLayer := map[float64][]int{}
	var alone []int
	for v, n := range nodes {
		if linked[v] {
			byLayer[n[1]] = append(byLayer[n[1]], v)
		} else {
			alone = append(alone, v)
		}
	}
	layers := slices.Sorted(maps.Keys(byLayer))
	top := nodeHeight / 2.0
	left, right := math.Inf(1), math.Inf(-1)
	for _, y := range layers {
		list := byLayer[y]
		slices.SortFunc(list, func(a, b int) int { return cmp.Compare(nodes[a][0], nodes[b][0]) })
		var ends []float64 // ends of the rows so far
		for _, v := range list {
			x, w := nodes[v][0]/m, nodes[v][2]
			row := slices.IndexFunc(ends, func(end float64) bool { return end+boxGap <= x-w/2 })
			if row < 0 {
				row = len(ends)
				ends = append(ends, 0)
			}
			ends[row] = x + w/2
			out[v][0], out[v][1] = tenth(x), top+float64(row)*(nodeHeight+rowGap)
			left, right = min(left, x-w/2), max(right, x+w/2)
		}
		top += float64(len(ends)-1)*(nodeHeight+rowGap) + nodeHeight + layerGap
	}
	if len(layers) == 0 {
		left, right = 0, 1600
	}
	at := left
	for _, v := range alone {
		w := nodes[v][2]
		if at > left && at+w > right {
			at = left
			top += nodeHeight + rowGap
		}
		out[v][0], out[v][1] = tenth(at+w/2), top
		at += w + boxGap
	}
	return out
}

// extent returns the size of the boxes and curves.
func extent(nodes [][4]float64, routes []route) (width, height float64) {
	x1, y1, x2, y2 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, n := range nodes {
		x1, x2 = min(x1, n[0]-n[2]/2), max(x2, n[0]+n[2]/2)
		y1, y2 = min(y1, n[1]-n[3]/2), max(y2, n[1]+n[3]/2)
	}
	for _, r := range routes {
		for k := 0; k+1 < len(r.Points); k += 2 {
			x1, x2 = min(x1, r.Points[k]), max(x2, r.Points[k])
			y1, y2 = min(y1, r.Points[k+1]), max(y2, r.Points[k+1])
		}
	}
	return max(x2-x1, 1), max(y2-y1, 1)
}
