package layout

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/intset"
)

// Packed lays out as Layered does and then arranges the connected components so that the drawing has about the
// given aspect ratio. dot puts them in one row, which makes a graph of many components wide, flat and small.
// Isolated nodes form rows below.
func Packed(ctx context.Context, g Graph, opt Settings, aspect float64) (*Drawing, error) {
	row, err := Layered(ctx, g, opt)
	if err != nil {
		return nil, err
	}
	parts := parts(g)
	if len(parts) < 2 {
		return row, nil
	}
	d := &Drawing{Nodes: make([]Point, len(g.Nodes)), Edges: make([][]Point, len(g.Edges)), Labels: make([]Point, len(g.Edges))}
	gap := 2 * opt.NodeGap
	area := 0.0
	for i := range parts {
		p := &parts[i]
		p.measure(g, row)
		d.Width = max(d.Width, p.width())
		area += (p.width() + gap) * (p.height() + gap)
	}
	// Shelf packing: the tallest component first, from left to right, with a new shelf when the width is used
	// up. Narrower components fill the space below lower ones.
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.height(), a.height()) })
	wide := max(d.Width, math.Sqrt(aspect*area))
	type column struct{ x, y, width, end float64 } // y is the position of the next component, end the end of the shelf
	var columns []column
	x, shelf, end := 0.0, 0.0, 0.0
	linked := make([]bool, len(g.Nodes))
	for _, p := range parts {
		at := slices.IndexFunc(columns, func(c column) bool { return p.width() <= c.width && c.y+p.height() <= c.end })
		if at < 0 {
			if x > 0 && x+p.width() > wide {
				x, shelf = 0, end+gap
			}
			if x == 0 {
				end = shelf + p.height()
			}
			at = len(columns)
			columns = append(columns, column{x, shelf, p.width(), end})
			x += p.width() + gap
		}
		c := &columns[at]
		p.put(d, row, c.x-p.from.X, c.y-p.from.Y)
		d.Width, d.Height = max(d.Width, c.x+p.width()), max(d.Height, c.y+p.height())
		c.y += p.height() + gap
		for _, v := range p.nodes {
			linked[v] = true
		}
	}
	d.rows(g, linked, opt)
	return d, nil
}

// A part is a connected component: its nodes and edges, and the corners of its drawing.
type part struct {
	nodes, edges []int
	from, to     Point
}

func (p *part) width() float64  { return p.to.X - p.from.X }
func (p *part) height() float64 { return p.to.Y - p.from.Y }

func (p *part) measure(g Graph, d *Drawing) {
	p.from, p.to = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	see := func(q Point, w, h float64) {
		p.from = Point{min(p.from.X, q.X-w/2), min(p.from.Y, q.Y-h/2)}
		p.to = Point{max(p.to.X, q.X+w/2), max(p.to.Y, q.Y+h/2)}
	}
	for _, v := range p.nodes {
		see(d.Nodes[v], g.Nodes[v].Width, g.Nodes[v].Height)
	}
	for _, k := range p.edges {
		for _, q := range d.Edges[k] {
			see(q, 0, 0)
		}
		if d.Labels[k] != (Point{}) {
			see(d.Labels[k], g.Edges[k].LabelWidth, g.Edges[k].LabelHeight)
		}
	}
}

// parts returns the components with an edge, ordered by their first nodes.
func parts(g Graph) []part {
	root := intset.Range(0, len(g.Nodes))
	find := func(v int) int {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	linked := make([]bool, len(g.Nodes))
	for _, e := range g.Edges {
		linked[e.From], linked[e.To] = true, true
		a, b := find(e.From), find(e.To)
		root[max(a, b)] = min(a, b)
	}
	var out []part
	at := map[int]int{}
	for v := range g.Nodes {
		if !linked[v] {
			continue
		}
		r := find(v)
		if _, seen := at[r]; !seen {
			at[r] = len(out)
			out = append(out, part{})
		}
		p := &out[at[r]]
		p.nodes = append(p.nodes, v)
	}
	for k, e := range g.Edges {
		p := &out[at[find(e.From)]]
		p.edges = append(p.edges, k)
	}
	return out
}

// put copies the component from one drawing to its position in another.
func (p *part) put(d, from *Drawing, x, y float64) {
	move := func(q Point) Point { return Point{q.X + x, q.Y + y} }
	for _, v := range p.nodes {
		d.Nodes[v] = move(from.Nodes[v])
	}
	for _, k := range p.edges {
		for _, q := range from.Edges[k] {
			d.Edges[k] = append(d.Edges[k], move(q))
		}
		if from.Labels[k] != (Point{}) {
			d.Labels[k] = move(from.Labels[k])
		}
	}
}
