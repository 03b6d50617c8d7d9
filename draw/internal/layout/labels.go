package layout

import (
	"cmp"
	"math"
	"slices"
)

// labels removes overlaps of labels with nodes and each other. dot reserves space for each label but lets edges
// that cross others shift with their labels. An overlapping label moves along its edge to the nearest free
// position, or is dropped if there is none. Heavy edges come first. It costs O((N + L) L) for L labels, and 80
// times that for each that moves.
func (d *Drawing) labels(g Graph) {
	type box struct{ x0, y0, x1, y1 float64 }
	around := func(c Point, w, h float64) box { return box{c.X - w/2, c.Y - h/2, c.X + w/2, c.Y + h/2} }
	var taken []box
	for i, n := range g.Nodes {
		taken = append(taken, around(d.Nodes[i], n.Width, n.Height))
	}
	free := func(b box) bool {
		if b.x0 < 0 || b.y0 < 0 || b.x1 > d.Width || b.y1 > d.Height {
			return false
		}
		return !slices.ContainsFunc(taken, func(t box) bool { return b.x0 < t.x1 && t.x0 < b.x1 && b.y0 < t.y1 && t.y0 < b.y1 })
	}
	var order []int
	for k, e := range g.Edges {
		if e.LabelWidth > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(g.Edges[b].Weight), math.Abs(g.Edges[a].Weight))
	})
	var homeless []int
	for _, k := range order { // well-placed labels stay
		e := g.Edges[k]
		if b := around(d.Labels[k], e.LabelWidth, e.LabelHeight); d.Labels[k] != (Point{}) && free(b) {
			taken = append(taken, b)
		} else {
			homeless = append(homeless, k)
		}
	}
	for _, k := range homeless {
		e := g.Edges[k]
		wish := d.Labels[k]
		if wish == (Point{}) {
			wish = along(d.Edges[k], 0.5)
		}
		var places []Point
		for step := range 40 {
			on := along(d.Edges[k], (float64(step)+0.5)/40)
			for _, side := range []float64{1, -1} {
				places = append(places, Point{on.X + side*(e.LabelWidth/2+1), on.Y})
			}
		}
		far := func(p Point) float64 { return math.Hypot(p.X-wish.X, p.Y-wish.Y) }
		slices.SortStableFunc(places, func(a, b Point) int { return cmp.Compare(far(a), far(b)) })
		d.Labels[k] = Point{}
		for _, at := range places {
			if b := around(at, e.LabelWidth, e.LabelHeight); free(b) {
				d.Labels[k] = at
				taken = append(taken, b)
				break
			}
		}
	}
}

// along returns a point of connected cubic curves; t runs from 0 to 1 with equal shares for each.
func along(curve []Point, t float64) Point {
	n := float64((len(curve) - 1) / 3)
	i := min(int(t*n), int(n)-1)
	t = t*n - float64(i)
	c, s := curve[3*i:3*i+4], 1-t
	w := [4]float64{s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t}
	var p Point
	for j, q := range c {
		p.X += w[j] * q.X
		p.Y += w[j] * q.Y
	}
	return p
}
