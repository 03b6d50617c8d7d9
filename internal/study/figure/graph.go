package figure

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/layout"
)

// A Graph is a DAG to draw: parents above children, the width of an edge by |weight|, its colour by sign, dashed where
// the direction is not determined.
type Graph struct {
	Nodes []string
	Edges []GraphEdge
}

// A GraphEdge is From → To, by index.
type GraphEdge struct {
	From, To int
	Weight   float64
	Dashed   bool
}

// Size proposes a page for the graph, in millimetres.
func (g Graph) Size() (w, h float64) {
	p := NewPage(10, 10)
	l, _, err := g.layout(p)
	if err != nil {
		return 120, 80 // Draw meets the same error and says so
	}
	w = max(l.Width+24, 340)
	return w / 72 * 25.4, (l.Height + g.legend(p, Rect{X1: w - 12}, 1, false) + 30) / 72 * 25.4
}

const nodeText, nodeHigh = 9.0, 19.0

// layout places the boxes, parents above children, and returns their widths too.
func (g Graph) layout(p *Page) (l *layout.Drawing, wide []float64, err error) {
	in, out := make([]int, len(g.Nodes)), make([]int, len(g.Nodes))
	var lg layout.Graph
	for _, e := range g.Edges {
		in[e.To]++
		out[e.From]++
		lg.Edges = append(lg.Edges, layout.Edge{Edge: graph.Edge{From: e.From, To: e.To}, Weight: math.Abs(e.Weight)})
	}
	for i, n := range g.Nodes {
		room := min(8*float64(max(in[i], out[i])), 90) // for the ends of edges
		wide = append(wide, max(p.Width(n, Style{Size: nodeText})+14, room))
		lg.Nodes = append(lg.Nodes, layout.Node{Name: n, Width: wide[i], Height: nodeHigh})
	}
	opt := layout.DefaultOptions()
	opt.Aspect = 2
	l, err = layout.Layered(context.Background(), lg, opt)
	return l, wide, err
}

// Draw draws the graph and its legend into an area of the page.
func (g Graph) Draw(p *Page, area Rect) {
	if len(g.Nodes) == 0 {
		return
	}
	l, wide, err := g.layout(p)
	if err != nil {
		p.failed = fmt.Errorf("figure: %w", err)
		return
	}
	below := g.legend(p, area, 1, false) + 12
	left, top := (area.X0+area.X1-l.Width)/2, (area.Y0+below+area.Y1+l.Height)/2
	at := func(q layout.Point) Point { return Point{left + q.X, top - q.Y} }
	heaviest := 0.0
	for _, e := range g.Edges {
		heaviest = max(heaviest, math.Abs(e.Weight))
	}
	// Thin edges last, so that a wide one does not hide them.
	byWeight := make([]int, len(g.Edges))
	for i := range byWeight {
		byWeight[i] = i
	}
	slices.SortStableFunc(byWeight, func(a, b int) int {
		return cmp.Compare(math.Abs(g.Edges[b].Weight), math.Abs(g.Edges[a].Weight))
	})
	for _, i := range byWeight {
		e := g.Edges[i]
		var way []Point
		for _, q := range l.Edges[i] {
			way = append(way, at(q))
		}
		p.edge(way, edgeWidth(e.Weight, heaviest), edgeColor(e.Weight), e.Dashed)
	}
	for v, name := range g.Nodes {
		c, half := at(l.Nodes[v]), wide[v]/2
		box := rounded(Rect{c.X - half, c.Y - nodeHigh/2, c.X + half, c.Y + nodeHigh/2}, 5)
		p.Fill(color.NRGBA{0xf4, 0xf4, 0xf0, 0xff}, box...)
		p.Outline(gray, 0.8, box...)
		p.Text(c, name, Style{Size: nodeText, Align: Center})
	}
	g.legend(p, area, heaviest, true)
}

func edgeWidth(w, heaviest float64) float64 {
	if heaviest == 0 {
		return 1
	}
	return 0.6 + 3.4*math.Abs(w)/heaviest
}

func edgeColor(w float64) color.NRGBA {
	if w < 0 {
		return colorOf(0)
	}
	return colorOf(1)
}

// edge draws a line along cubic Bézier curves, with an arrow head whose tip is the end of the last.
func (p *Page) edge(way []Point, width float64, c color.NRGBA, dashed bool) {
	const steps = 24
	pts := []Point{way[0]}
	for i := 0; i+3 < len(way); i += 3 {
		for k := range steps {
			pts = append(pts, bezier(way[i], way[i+1], way[i+2], way[i+3], float64(k+1)/steps))
		}
	}
	tip, head := pts[len(pts)-1], 4.5+1.1*width
	back := func(r float64) int { // the last point that is so far from the tip
		k := len(pts) - 2
		for k > 0 && math.Hypot(pts[k].X-tip.X, pts[k].Y-tip.Y) < r {
			k--
		}
		return k
	}
	base := pts[back(head)]
	dx, dy := tip.X-base.X, tip.Y-base.Y
	if n := math.Hypot(dx, dy); n > 0 {
		dx, dy = dx/n, dy/n
	}
	line := append(slices.Clone(pts[:back(head)+1]), Point{tip.X - 0.8*head*dx, tip.Y - 0.8*head*dy}) // it ends inside the head
	var dashes []float64
	if dashed {
		dashes = []float64{3 + 1.6*width, 2 + 0.9*width}
	}
	p.Stroke(c, width, dashes, line...)
	half := 0.42 * head
	foot := Point{tip.X - head*dx, tip.Y - head*dy}
	p.Fill(c, tip, Point{foot.X + half*dy, foot.Y - half*dx}, Point{foot.X - half*dy, foot.Y + half*dx})
}

func bezier(a, b, c, d Point, t float64) Point {
	s := 1 - t
	w0, w1, w2, w3 := s*s*s, 3*s*s*t, 3*s*t*t, t*t*t
	return Point{w0*a.X + w1*b.X + w2*c.X + w3*d.X, w0*a.Y + w1*b.Y + w2*c.Y + w3*d.Y}
}

// rounded is a box with round corners.
func rounded(r Rect, radius float64) []Point {
	var out []Point
	corner := func(x, y, from float64) {
		for k := range 7 {
			s, c := math.Sincos(from + math.Pi/2*float64(k)/6)
			out = append(out, Point{x + radius*c, y + radius*s})
		}
	}
	corner(r.X1-radius, r.Y1-radius, 0)
	corner(r.X0+radius, r.Y1-radius, math.Pi/2)
	corner(r.X0+radius, r.Y0+radius, math.Pi)
	corner(r.X1-radius, r.Y0+radius, 3*math.Pi/2)
	return out
}

// legend writes what colours, widths and dashes mean, in as many rows as it takes, and returns their height. With draw false it only
// measures.
func (g Graph) legend(p *Page, area Rect, heaviest float64, draw bool) float64 {
	type item struct {
		label string
		w     float64
		dash  bool
		c     color.NRGBA
	}
	items := []item{{"positive", heaviest, false, colorOf(1)}, {"negative", heaviest, false, colorOf(0)}}
	for _, share := range []float64{1, 0.5, 0.1} {
		v := round2(share * heaviest)
		items = append(items, item{"|weight| " + strconv.FormatFloat(v, 'g', 2, 64), v, false, gray})
	}
	if slices.ContainsFunc(g.Edges, func(e GraphEdge) bool { return e.Dashed }) {
		items = append(items, item{"direction not determined by the data", 0.25 * heaviest, true, gray})
	}
	st := Style{Size: legendSize}
	width := func(it item) float64 { return 26 + p.Width(it.label, st) + 14 }
	var rows [][]item
	used := math.Inf(1)
	for _, it := range items {
		if used+width(it) > area.W() {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], it)
		used += width(it)
	}
	for r, row := range rows {
		total := -14.0
		for _, it := range row {
			total += width(it)
		}
		x, y := (area.X0+area.X1-total)/2, area.Y0+legendRow*(float64(len(rows)-1-r)+0.5)
		for _, it := range row {
			if !draw {
				break
			}
			var dashes []float64
			if it.dash {
				dashes = []float64{5, 3}
			}
			p.Stroke(it.c, edgeWidth(it.w, heaviest), dashes, Point{x, y}, Point{x + 21, y})
			p.Text(Point{x + 26, y}, it.label, st)
			x += width(it)
		}
	}
	return legendRow * float64(len(rows))
}

// round2 rounds to two significant digits.
func round2(v float64) float64 {
	if v <= 0 {
		return 0
	}
	p := math.Pow(10, math.Floor(math.Log10(v))-1)
	return math.Round(v/p) * p
}
