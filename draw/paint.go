package draw

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
)

// paint draws the picture on a canvas. It draws arrows first, so that they do not hide boxes.
func (p *Picture) paint(c canvas) {
	c.box(rect{0, 0, p.w, p.h}, 0, style{fill: p.theme.page})
	for _, l := range p.title {
		c.text(l)
	}
	if p.bars != nil {
		p.bars.paint(c, p)
		return
	}
	p.paintPanels(c)
	for _, e := range p.edges {
		p.paintEdge(c, e)
	}
	for _, e := range p.edges {
		p.paintLabel(c, e)
	}
	for _, n := range p.nodes {
		p.paintNode(c, n)
	}
	p.paintLegend(c)
}

func (p *Picture) paintEdge(c canvas, e edge) {
	c.group("edge", e.explain())
	defer c.end()
	s := style{stroke: p.colorOf(e), width: e.width}
	mark := e.Mark
	if e.Directed() && (e.Verdict == polydag.Undirected || e.Verdict == polydag.Weak) {
		mark = "---" // the direction is not stated
	}
	if e.Verdict == polydag.Weak {
		s.dashes = dots(e.width)
	}
	p.line(c, e.curve, mark, s, e.Sign() < 0)
}

// line draws a curve with its end marks: nothing, a head, or a hollow circle.
func (p *Picture) line(c canvas, curve []point, mark string, s style, hollow bool) {
	c.curve(between(curve, mark, s.width, hollow), s)
	p.end(c, backwards(curve), mark[0], s, hollow)
	p.end(c, curve, mark[2], s, hollow)
}

func (p *Picture) end(c canvas, curve []point, mark byte, s style, hollow bool) {
	switch mark {
	case '<', '>':
		p.head(c, newArrow(curve, s.width, hollow), s, hollow)
	case 'o':
		m, r := circleAt(curve, s.width), circleRadius(s.width)-0.4
		c.box(rect{m.X - r, m.Y - r, m.X + r, m.Y + r}, r, style{fill: p.theme.page, stroke: s.stroke, width: 0.8})
	}
}

func (p *Picture) colorOf(e edge) color.NRGBA {
	c := p.theme.sign(e.Sign())
	if !e.Directed() {
		c = p.theme.dim
	}
	if e.faded {
		return p.theme.faded(c)
	}
	if e.Verdict != "" {
		c = p.theme.confident(c, e.Confidence)
	}
	return c
}

// paintLabel writes the number of an edge on a background patch, because other edges may pass there.
func (p *Picture) paintLabel(c canvas, e edge) {
	if e.photo != nil {
		below := 0.0
		if e.label != "" {
			below = 0.65*p.labelSize() + 2
		}
		c.photo(e.photo.place(e.at.X-e.photo.w/2, e.at.Y-e.photo.h/2-below), e.photo)
		e.at.Y += e.photo.h/2 + 2
	}
	if e.label == "" {
		return
	}
	size := p.labelSize()
	width := p.fonts.width(e.label, size, false)
	c.group("label", e.explain())
	defer c.end()
	c.box(rect{e.at.X - width/2 - 0.8, e.at.Y - 0.5*size, e.at.X + width/2 + 0.8, e.at.Y + 0.5*size}, 1.5, style{fill: p.theme.page})
	c.text(line{at: point{X: e.at.X, Y: e.at.Y + 0.36*size}, text: e.label, width: width, size: size, center: true, color: p.colorOf(e)})
}

// head draws a full head for a positive weight and a hollow one for a negative weight, so that the sign is
// visible without colors. A hollow one is a triangle on a triangle, which keeps the tip sharp in every format.
func (p *Picture) head(c canvas, a arrow, s style, hollow bool) {
	c.polygon(a.head[:], style{fill: s.stroke})
	if hollow {
		inner := shrink(a.head, 0.6+0.25*s.width)
		c.polygon(inner[:], style{fill: p.theme.page})
	}
}

func (p *Picture) paintNode(c canvas, n node) {
	c.group("node", cmp.Or(strings.TrimSpace(shown(n.name)), "(no name)"))
	defer c.end()
	t := p.theme
	s, ink := style{fill: t.box, stroke: t.line, width: 0.8}, t.ink
	if n.marked {
		s = style{fill: t.mark, stroke: t.markLine, width: 1.5}
	}
	if n.faded {
		s.fill, s.stroke, ink = mix(t.box, t.page, 0.5), t.faded(t.line), mix(t.ink, t.page, 0.45)
	}
	radius := 0.5 * p.opt.FontSize
	c.box(n.box, radius, s)
	if n.sensitive {
		c.box(n.box.inset(1.8+s.width/2), radius-1.5, style{stroke: s.stroke, width: 0.8})
	}
	size := p.opt.FontSize
	x, y := (n.box.X0+n.box.X1)/2, (n.box.Y0+n.box.Y1)/2
	if n.photo != nil {
		c.photo(n.photo.place(x-n.photo.w/2, n.box.Y0+0.45*size), n.photo)
		y += (n.photo.h + 0.3*size) / 2
	}
	for k, l := range n.lines {
		row := float64(k) - float64(len(n.lines)-1)/2
		c.text(line{at: point{X: x, Y: y + row*leading*size + 0.36*size}, text: l, width: p.fonts.width(l, size, n.marked), size: size, bold: n.marked, center: true, color: ink})
	}
}

// stated describes the verdict on an edge.
func stated(e polydag.Edge) string {
	switch e.Verdict {
	case polydag.Directed:
		text := fmt.Sprintf("directed, confidence %.2f", e.Confidence)
		if word := e.RestsOn(); word != "" {
			text += ", basis " + word
		}
		return text
	case polydag.Undirected:
		return fmt.Sprintf("undirected, probability of the adjacency %.2f, of this direction %.2f", e.PAdjacent, e.PDirection)
	case polydag.Weak:
		return fmt.Sprintf("weak, probability of the adjacency %.2f", e.PAdjacent)
	}
	return "not learned"
}

// title names the two ends of an edge, with a dash if its direction is not stated.
func (e edge) title() string {
	if e.Verdict == polydag.Undirected || e.Verdict == polydag.Weak {
		return shown(e.From) + " — " + shown(e.To)
	}
	return shown(e.From) + " → " + shown(e.To)
}

func (e edge) explain() string {
	if !e.Directed() {
		s := fmt.Sprintf("%s %s %s: %s", shown(e.From), e.Mark, shown(e.To), graph.Words(e.Mark))
		if e.Verdict != "" {
			s += fmt.Sprintf(", probability of the adjacency %.2f", e.PAdjacent)
		}
		return s
	}
	s := e.title()
	if len(e.Lags) > 0 {
		s += ", " + e.Label("")
	}
	if s += ": "; len(e.Lags) > 1 {
		s += fmt.Sprintf("at lag %d ", e.Lag)
	}
	if e.Weight != 0 || e.Gain == 0 {
		s += fmt.Sprintf("standardized weight %s, ", number(e.Standardized, false))
	}
	if e.Gain != 0 {
		s += fmt.Sprintf("score gain %s bits per row, ", bits(e.Gain))
	}
	return s + stated(e.Edge)
}

func (p *Picture) describe() string {
	var b strings.Builder
	what := map[graph.Kind]string{
		graph.KindDAG: "A directed acyclic graph", graph.KindCPDAG: "A class of directed acyclic graphs (CPDAG)", graph.KindPAG: "A class of graphs with hidden causes (PAG)",
		graph.KindPDAG: "A partially directed graph (PDAG)", graph.KindAverage: "An averaged graph",
	}[p.kind]
	if slices.ContainsFunc(p.edges, func(e edge) bool { return len(e.Lags) > 0 }) {
		what = "The summary graph of a time series"
	}
	fmt.Fprintf(&b, "%s of %s and %s, parents above children.", cmp.Or(what, "A graph"), names.Count(len(p.nodes), "variable"), names.Count(p.Shown, "edge"))
	if p.Left > 0 {
		fmt.Fprintf(&b, " It shows %s.", p.leftNote())
	}
	if p.Hidden > 0 {
		fmt.Fprintf(&b, " %s.", p.hiddenNote())
	}
	strongest := slices.DeleteFunc(slices.Clone(p.edges), func(e edge) bool { return !e.Directed() })
	slices.SortStableFunc(strongest, func(a, b edge) int { return cmp.Compare(b.Size(), a.Size()) })
	for k, e := range strongest[:min(5, len(strongest))] {
		lead := ";"
		if k == 0 {
			lead = " Strongest edges, with their standardized weights or score gains:"
		}
		fmt.Fprintf(&b, "%s %s %s", lead, e.title(), e.number(false))
	}
	if len(strongest) > 0 {
		b.WriteString(".")
	}
	return b.String()
}

func (p *Picture) hiddenNote() string {
	return fmt.Sprintf("%d of %s hidden (score gain below %g bits per row); the graph was not fitted again", p.Hidden, names.Count(p.Hidden+p.Left+p.Shown, "edge"), p.opt.Threshold)
}
