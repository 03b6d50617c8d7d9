package draw

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/trust"
)

type legendRow struct {
	y     float64
	items []legendItem
}

// legendItem is a sample with its explanation.
type legendItem struct {
	x     float64
	kind  string // arrow, line, box, words
	text  string
	width float64 // width of the words
	s     style
	mark  string // mark of an arrow
	neg   bool
}

var markWords = map[string]string{
	"---": "undirected",
	"<->": "neither a cause of the other",
	"o->": "no cause at the head, the other end open",
	"o--": "a cause at the plain end, the other end open",
	"o-o": "both ends open",
}

const sampleWide = 24.0

// placeLegend arranges the legend in rows below top within the given width, and returns its end.
func (p *Picture) placeLegend(top, inner float64) float64 {
	size := p.labelSize()
	items := p.legendItems()
	if len(items) == 0 {
		return top
	}
	for i := range items {
		it := &items[i]
		it.text = p.fonts.cut(it.text, size, inner-it.sample(), false)
		it.width = p.fonts.width(it.text, size, false)
	}
	gap := 1.6 * size
	rows := fill(items, inner, gap)
	for narrow := inner; narrow > 0; narrow -= size { // rows of similar length: as narrow as their number allows
		again := fill(items, narrow, gap)
		if len(again) > len(rows) {
			break
		}
		rows = again
	}
	y := top
	for _, row := range rows {
		last := row[len(row)-1]
		left := (p.w - (last.x + last.sample() + last.width)) / 2
		for i := range row {
			row[i].x += left
		}
		p.legend = append(p.legend, legendRow{y, row})
		y += 1.7 * size
	}
	return y - 0.9*size
}

// fill puts items into rows of at most the given width, at least one in each.
func fill(items []legendItem, wide, gap float64) [][]legendItem {
	var rows [][]legendItem
	used := math.Inf(1)
	for _, it := range items {
		if used+it.sample()+it.width > wide {
			rows, used = append(rows, nil), 0
		}
		it.x = used
		rows[len(rows)-1] = append(rows[len(rows)-1], it)
		used += it.sample() + it.width + gap
	}
	return rows
}

func (it legendItem) sample() float64 {
	if it.kind == "words" {
		return 0
	}
	return sampleWide + 4
}

func (p *Picture) legendItems() []legendItem {
	t := p.theme
	var out []legendItem
	has := func(f func(edge) bool) bool {
		return slices.ContainsFunc(p.edges, func(e edge) bool { return e.Directed() && f(e) })
	}
	typical := 0.35 * p.heaviest
	arrow := func(text string, c color.NRGBA, neg bool) {
		out = append(out, legendItem{kind: "arrow", text: text, mark: "-->", s: style{stroke: c, width: lineWidth(typical, p.heaviest)}, neg: neg})
	}
	if has(func(e edge) bool { return e.Sign() > 0 }) {
		arrow("positive", t.positive, false)
	}
	if has(func(e edge) bool { return e.Sign() < 0 }) {
		arrow("negative", t.negative, true)
	}
	if has(func(e edge) bool { return e.Sign() == 0 }) {
		arrow("no sign: nominal categories, or a curve that is not monotone", t.unsigned, false)
	}
	if p.heaviest > 0 {
		most := -math.Log1p(-min(p.heaviest*p.heaviest, 0.9999)) / (2 * math.Ln2) // bits per row
		for k, share := range []float64{0.01, 0.1, 1} {
			v := share * leading1(most)
			text := strconv.FormatFloat(v, 'g', 1, 64)
			if k == 0 {
				text = "score gain (bits per row): " + text
			}
			out = append(out, legendItem{kind: "line", text: text, s: style{stroke: t.dim, width: lineWidth(polydag.Edge{Gain: v}.Size(), p.heaviest)}})
		}
	}
	stated := func(v polydag.Verdict) bool { return has(func(e edge) bool { return e.Verdict == v }) }
	w := lineWidth(typical, p.heaviest)
	if stated(polydag.Undirected) {
		out = append(out, legendItem{kind: "line", text: "undirected: adjacent, direction not stated", s: style{stroke: t.dim, width: w}})
	}
	if stated(polydag.Weak) {
		out = append(out, legendItem{kind: "line", text: fmt.Sprintf("weak: probability of the adjacency below %g", trust.StatedLevel), s: style{stroke: t.dim, width: w, dashes: dots(w)}})
	}
	if slices.ContainsFunc(p.edges, func(e edge) bool { return e.Verdict != "" }) {
		out = append(out, legendItem{kind: "words", text: "fainter: less confidence"})
	}
	for _, m := range graph.Symbols() {
		if words := markWords[m]; words != "" && slices.ContainsFunc(p.edges, func(e edge) bool { return e.Mark == m }) {
			out = append(out, legendItem{kind: "arrow", text: words, mark: m, s: style{stroke: t.dim, width: plainWidth}})
		}
	}
	if slices.ContainsFunc(p.nodes, func(n node) bool { return n.sensitive }) {
		out = append(out, legendItem{kind: "box", text: "sensitive"})
	}
	if p.Left > 0 {
		out = append(out, legendItem{kind: "words", text: p.leftNote()})
	}
	if p.Hidden > 0 {
		out = append(out, legendItem{kind: "words", text: p.hiddenNote()})
	}
	if p.Shown == 0 {
		out = append(out, legendItem{kind: "words", text: "no edges"})
	}
	return out
}

func (p *Picture) paintLegend(c canvas) {
	size := p.labelSize()
	for _, row := range p.legend {
		for _, it := range row.items {
			c.group("legend", "")
			a, b := point{X: it.x, Y: row.y}, point{X: it.x + sampleWide, Y: row.y}
			way := []point{a, {X: a.X + sampleWide/3, Y: a.Y}, {X: b.X - sampleWide/3, Y: b.Y}, b}
			switch it.kind {
			case "arrow":
				p.line(c, way, it.mark, it.s, it.neg)
			case "line":
				c.curve(way, it.s)
			case "box":
				r := rect{a.X + 4, row.y - 0.5*size, b.X - 2, row.y + 0.5*size}
				c.box(r, 2.5, style{fill: p.theme.box, stroke: p.theme.line, width: 0.8})
				c.box(r.inset(1.6), 1.2, style{stroke: p.theme.line, width: 0.7})
			}
			c.text(line{at: point{X: it.x + it.sample(), Y: row.y + 0.36*size}, text: it.text, width: it.width, size: size, color: p.theme.dim})
			c.end()
		}
	}
}

// leading1 rounds down to one significant digit.
func leading1(v float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	return math.Floor(v/p) * p
}
