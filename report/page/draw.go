package page

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unicode"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/layout"
)

// A route is the way of an arrow between two names, for all results and the truth: whoever has the edge the other way round
// follows it backwards.
type route struct {
	From   int       `json:"from"`
	To     int       `json:"to"`
	Points []float64 `json:"points,omitempty"` // x and y of the control points of joined cubic Bézier curves
	Label  []float64 `json:"label,omitempty"`  // x and y of the middle of the room kept for words on the arrow
}

// draw computes one drawing for everything that the page can show, so that nothing moves when the reader changes the view.
// Edges of the first result decide what is above what, then those of the second, then the truth.
func (d *content) draw(ctx context.Context, t *table, truth *Truth) error {
	g := layout.Graph{}
	for _, name := range t.names {
		g.Nodes = append(g.Nodes, layout.Node{Name: name, Width: width(name), Height: nodeHeight})
	}
	linked := make([]bool, len(t.names))
	seen := map[pair]bool{}
	add := func(i, j int, weight float64) {
		if i != j && !seen[pair{i, j}] {
			seen[pair{i, j}], seen[pair{j, i}] = true, true
			linked[i], linked[j] = true, true
			g.Edges = append(g.Edges, layout.Edge{From: i, To: j, Weight: weight})
		}
	}
	if len(d.Results) == 1 {
		d.Least = least(d.Results[0].Result.Edges, len(t.names))
	}
	var weak []route
	for _, r := range d.Results {
		for _, e := range r.Result.Edges {
			i, j, w := t.index[e.From], t.index[e.To], math.Abs(e.Size())
			if e.Directed() && w < d.Least {
				weak = append(weak, route{From: i, To: j})
				continue
			}
			add(i, j, w)
		}
	}
	if truth != nil {
		for _, p := range t.links(truth.Edges) {
			add(p[0], p[1], 0)
		}
	}
	d.keepRoom(&g)
	drawing, err := layout.Layered(ctx, g, layout.Options{LayerGap: 46, NodeGap: 16})
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	d.Nodes = make([][4]float64, len(g.Nodes))
	for i, p := range drawing.Nodes {
		d.Nodes[i] = [4]float64{tenth(p.X), tenth(p.Y), g.Nodes[i].Width, g.Nodes[i].Height}
	}
	d.Routes = make([]route, len(g.Edges))
	for k, e := range g.Edges {
		d.Routes[k] = route{From: e.From, To: e.To}
		for _, p := range drawing.Edges[k] {
			d.Routes[k].Points = append(d.Routes[k].Points, tenth(p.X), tenth(p.Y))
		}
		if e.LabelWidth > 0 {
			d.Routes[k].Label = []float64{tenth(drawing.Labels[k].X), tenth(drawing.Labels[k].Y)}
		}
	}
	d.fold(linked)
	d.Routes = append(d.Routes, weak...)
	return nil
}

// least is the weight from which on edges are shown when the page opens. A graph of more than four arrows a variable is a tangle:
// the reader begins with its strongest two a variable, which alone decide the drawing, and the page says how many there are. The
// others are straight lines when the reader asks for them, and may point up.
func least(edges []polydag.Edge, names int) float64 {
	var strength []float64
	for _, e := range edges {
		if e.Directed() {
			strength = append(strength, math.Abs(e.Size()))
		}
	}
	if len(strength) <= max(60, 4*names) {
		return 0
	}
	slices.Sort(strength)
	return math.Ceil(100*strength[len(strength)-2*names]) / 100
}

// fewEdges is up to how many edges the drawing keeps room for words on every arrow.
const fewEdges = 24

// keepRoom reserves boxes for the words on arrows of a small graph: a weight, and with it how the edge stands to the truth or to
// the other result where that is not the usual.
func (d *content) keepRoom(g *layout.Graph) {
	if len(g.Edges) > fewEdges {
		return
	}
	const weight, letter = 46.0, 6.2 // of 11 px
	room := map[pair]float64{}
	mark := func(list []pair, word string, numbered bool) {
		w := letter*float64(len(word)) + 6
		if numbered {
			w += weight
		}
		for _, p := range list {
			p = pair{min(p[0], p[1]), max(p[0], p[1])}
			room[p] = max(room[p], w)
		}
	}
	if d.Truth != nil {
		for _, v := range d.Truth.Verdicts {
			mark(v.Reversed, "reversed", true)
			mark(v.Missing, "missing", false)
			mark(v.Extra, "extra", true)
			mark(v.Unoriented, "no direction", false)
		}
	}
	if c := d.Comparison; c != nil {
		mark(c.Turned, "turned round", true)
		mark(c.OnlyFirst, "only in A", true)
		mark(c.OnlySecond, "only in B", true)
	}
	for k := range g.Edges {
		e := &g.Edges[k]
		e.LabelHeight = 16
		if e.LabelWidth = room[pair{min(e.From, e.To), max(e.From, e.To)}]; e.LabelWidth == 0 {
			e.LabelWidth = weight
		}
	}
}

// The page writes names in 13 px; the browser cuts those that do not fit their box and shows the whole name when asked.
const (
	nodeHeight = 28
	perEm      = 7.6 // an average letter of the fonts that browsers take for system-ui, with room to spare
	padding    = 18
	widest     = 190
)

// width guesses how wide a name is drawn: letters of East Asian scripts and emoji take two places, marks that combine none.
func width(name string) float64 {
	places := 0
	for _, r := range name {
		switch {
		case unicode.IsControl(r) || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			places += 2 // the page shows � for it
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r):
		case r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0x1F000):
			places += 2
		default:
			places++
		}
	}
	return min(max(perEm*float64(places)+padding, 44), widest)
}

// tenth rounds to a tenth of a pixel: half the size of the file.
func tenth(v float64) float64 { return math.Round(v*10) / 10 }
