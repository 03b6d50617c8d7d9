package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"
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
	l := g.layout(p)
	low, high := l.extent()
	return math.Min(math.Max((high-low)/72*25.4+14, 120), 420), float64(len(l.order))*17 + 20
}

const nodeText, nodeHigh = 9.0, 19.0

func (g Graph) layout(p *Page) *layout {
	wide := make([]float64, len(g.Nodes))
	for i, n := range g.Nodes {
		in, out := 0, 0
		for _, e := range g.Edges {
			if e.From == i {
				out++
			}
			if e.To == i {
				in++
			}
		}
		wide[i] = max(p.Width(n, Style{Size: nodeText})+14, 9*float64(max(in, out))) // room for the ends of edges
	}
	return newLayout(wide, g.Edges, 16)
}

func (l *layout) extent() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for v, x := range l.x {
		low, high = min(low, x-l.wide[v]/2), max(high, x+l.wide[v]/2)
	}
	return low, high
}

// Draw draws the graph and its legend into an area of the page.
func (g Graph) Draw(p *Page, area Rect) {
	if len(g.Nodes) == 0 {
		return
	}
	l := g.layout(p)
	low, high := l.extent()
	below := g.legend(p, area, 0, false) + 12
	body := Rect{area.X0 + 4, area.Y0 + below + nodeHigh/2, area.X1 - 4, area.Y1 - nodeHigh/2 - 2}
	shift := (body.X0+body.X1)/2 - (low+high)/2
	rows := max(len(l.order)-1, 1)
	at := func(v int) Point {
		return Point{l.x[v] + shift, body.Y1 - float64(l.layer[v])*body.H()/float64(rows)}
	}
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
	out, in := g.ports(l)
	for _, i := range byWeight {
		e := g.Edges[i]
		var way []Point
		for _, v := range l.path[i] {
			way = append(way, at(v))
		}
		way[0] = Point{way[0].X + out[i]*l.wide[e.From], way[0].Y - nodeHigh/2}
		last := len(way) - 1
		way[last] = Point{way[last].X + in[i]*l.wide[e.To], way[last].Y + nodeHigh/2}
		p.edge(way, edgeWidth(e.Weight, heaviest), edgeColor(e.Weight), e.Dashed)
	}
	for v, name := range g.Nodes {
		c := at(v)
		box := rounded(Rect{c.X - l.wide[v]/2, c.Y - nodeHigh/2, c.X + l.wide[v]/2, c.Y + nodeHigh/2}, 5)
		p.Fill(color.NRGBA{0xf4, 0xf4, 0xf0, 0xff}, box...)
		p.Outline(gray, 0.8, box...)
		p.Text(c, name, Style{Size: nodeText, Align: Center})
	}
	g.legend(p, area, heaviest, true)
}

// ports spreads the ends of edges over the border of their nodes, in the order of where they go; as shares of the width from the
// middle.
func (g Graph) ports(l *layout) (out, in []float64) {
	out, in = make([]float64, len(g.Edges)), make([]float64, len(g.Edges))
	spread := func(edges []int, towards func(i int) float64, set []float64) {
		slices.SortStableFunc(edges, func(a, b int) int { return cmp.Compare(towards(a), towards(b)) })
		for k, i := range edges {
			set[i] = 0.7 * ((float64(k)+0.5)/float64(len(edges)) - 0.5)
		}
	}
	for v := range g.Nodes {
		var from, to []int
		for i, e := range g.Edges {
			if e.From == v {
				from = append(from, i)
			}
			if e.To == v {
				to = append(to, i)
			}
		}
		spread(from, func(i int) float64 { return l.x[l.path[i][1]] }, out)
		spread(to, func(i int) float64 { return l.x[l.path[i][len(l.path[i])-2]] }, in)
	}
	return out, in
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

// edge draws a smooth line through the points that leaves and arrives vertically, with an arrow head.
func (p *Page) edge(way []Point, width float64, c color.NRGBA, dashed bool) {
	head := 4.5 + 1.1*width
	end := way[len(way)-1]
	way = slices.Clone(way)
	way[len(way)-1].Y += head * 0.8 // the line ends inside the head
	var pts []Point
	for i := range len(way) - 1 {
		a, b := way[i], way[i+1]
		lift := 0.42 * (a.Y - b.Y)
		c1, c2 := Point{a.X, a.Y - lift}, Point{b.X, b.Y + lift}
		if i > 0 {
			c1.X += slant(way[i-1], b) * lift
		}
		if i+2 < len(way) {
			c2.X -= slant(a, way[i+2]) * lift
		}
		const steps = 16
		for k := range steps {
			pts = append(pts, bezier(a, c1, c2, b, float64(k)/steps))
		}
	}
	pts = append(pts, way[len(way)-1])
	var dashes []float64
	if dashed {
		dashes = []float64{3 + 1.6*width, 2 + 0.9*width}
	}
	p.Stroke(c, width, dashes, pts...)
	half := 0.42 * head // the curve arrives vertically
	p.Fill(c, end, Point{end.X - half, end.Y + head}, Point{end.X + half, end.Y + head})
}

// slant is the mean direction from a past a middle point to c: sideways for a step down.
func slant(a, c Point) float64 {
	if a.Y == c.Y {
		return 0
	}
	return (c.X - a.X) / (a.Y - c.Y)
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
