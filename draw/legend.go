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
	var items []legendItem
	if p.opt.Legend {
		items = p.legendItems()
	}
	if len(items) == 0 && p.caution == "" {
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
	if p.caution != "" {
		for _, text := range p.fonts.broken(p.caution, size, inner) {
			rows = append(rows, []legendItem{{kind: "words", text: text, width: p.fonts.width(text, size, false)}})
		}
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

// legendItems returns samples of what the picture shows, with their words.
func (p *Picture) legendItems() (out []legendItem) {
	t, w := p.theme, lineWidth(0.35*p.heaviest, p.heaviest)
	add := func(shown bool, it legendItem) {
		if shown {
			out = append(out, it)
		}
	}
	some := func(has func(edge) bool) bool { return slices.ContainsFunc(p.edges, has) }
	directed := func(has func(edge) bool) bool { return some(func(e edge) bool { return e.Directed() && has(e) }) }
	sign := func(of int, text string, c color.NRGBA) {
		add(directed(func(e edge) bool { return e.Sign() == of }), legendItem{kind: "arrow", text: text, mark: "-->", s: style{stroke: c, width: w}, neg: of < 0})
	}
	verdict := func(v polydag.Verdict, text string, s style) {
		add(directed(func(e edge) bool { return e.Verdict == v }), legendItem{kind: "line", text: text, s: s})
	}
	note := func(shown bool, text string) { add(shown, legendItem{kind: "words", text: text}) }

	sign(1, "positive", t.positive)
	sign(-1, "negative", t.negative)
	sign(0, "no sign: nominal categories, or a curve that is not monotone", t.unsigned)
	out = append(out, p.widthItems()...)
	verdict(polydag.Undirected, "undirected: adjacent, direction not stated", style{stroke: t.dim, width: w})
	verdict(polydag.Weak, fmt.Sprintf("weak: probability of the adjacency below %g", trust.StatedLevel), style{stroke: t.dim, width: w, dashes: dots(w)})
	note(some(func(e edge) bool { return e.Verdict != "" && e.Confidence < 1 }), "fainter: less confidence")
	for _, m := range graph.Symbols() {
		words := markWords[m]
		add(words != "" && some(func(e edge) bool { return e.Mark == m }), legendItem{kind: "arrow", text: words, mark: m, s: style{stroke: t.dim, width: plainWidth}})
	}
	add(slices.ContainsFunc(p.nodes, func(n node) bool { return n.sensitive }), legendItem{kind: "box", text: "sensitive"})
	note(p.exceptions, "image at an edge: an exception to it")
	note(p.Left > 0, p.leftNote())
	note(p.Hidden > 0, p.hiddenNote())
	note(p.Shown == 0, "no edges")
	return out
}

// widthItems explain the widths of edges.
func (p *Picture) widthItems() (out []legendItem) {
	if p.heaviest <= 0 {
		return nil
	}
	most := -math.Log1p(-min(p.heaviest*p.heaviest, 0.9999)) / (2 * math.Ln2) // bits per row
	prefix := "score gain (bits per row): "
	for _, share := range []float64{0.01, 0.1, 1} {
		v := share * leading1(most)
		out = append(out, legendItem{kind: "line", text: prefix + strconv.FormatFloat(v, 'g', 1, 64), s: style{stroke: p.theme.dim, width: lineWidth(polydag.Edge{Gain: v}.Size(), p.heaviest)}})
		prefix = ""
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
