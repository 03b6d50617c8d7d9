package page

import (
	"cmp"
	"context"
	"math"
	"slices"
	"unicode"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/layout"
	"github.com/polydag/polydag/internal/names"
)

// A route is the curve of an arrow between two names, shared by all results and the truth. Results with the
// opposite direction follow it backwards.
type route struct {
	graph.Edge
	Lagged bool      `json:"lagged,omitempty"` // the edge has a lag; it may join a variable to itself
	Points []float64 `json:"points,omitempty"` // x and y of the control points of connected cubic Bézier curves
	Label  []float64 `json:"label,omitempty"`  // x and y of the center of the space for the label
}

// A drawing has positions for all variables and for the shown edges: all edges without a weight, and the
// strongest of the others, weak ones last.
type drawing struct {
	Edges  int          `json:"edges"` // number of shown edges with a weight
	Nodes  [][4]float64 `json:"nodes"` // centre x and y, width, height
	Routes []route      `json:"routes"`
}

// levels are the numbers of edges that the reader can choose, besides all.
var levels = []int{30, layout.Readable, 150, 400}

// An arrow is a pair of names with an edge in any result or in the truth.
type arrow struct {
	graph.Edge
	gain   float64 // the largest Edge.Size
	bare   bool    // has no weight anywhere, so it is always drawn
	weak   bool    // its adjacency is stated nowhere, so it is drawn last
	lagged bool
}

// draw computes a drawing for each number of edges that the page can show. Each serves every view, so that
// nothing moves when the reader changes the view. In each, all directed edges of the first result point down.
// Hiding the weak edges of one drawing would leave it too wide, and a drawing of the strong edges alone would
// let weak ones point up.
func (d *content) draw(ctx context.Context, t *table, truth *Truth) error {
	arrows := t.arrows(d.Results, truth)
	before := func(a, b bool) int { // -1 if a alone, 1 if b alone
		switch {
		case a == b:
			return 0
		case a:
			return -1
		}
		return 1
	}
	slices.SortStableFunc(arrows, func(a, b arrow) int {
		return cmp.Or(before(a.bare, b.bare), before(b.weak, a.weak), cmp.Compare(b.gain, a.gain))
	})
	bare := slices.IndexFunc(arrows, func(a arrow) bool { return !a.bare })
	if bare < 0 {
		bare = len(arrows)
	}
	weighed := len(arrows) - bare
	for _, n := range append(slices.Clone(levels), weighed) {
		if n != weighed && 10*n > 9*weighed {
			continue
		}
		if n == layout.Opening(weighed) {
			d.Open = len(d.Drawings)
		}
		one, err := d.drawing(ctx, t.names, arrows[:bare+n])
		if err != nil {
			return err
		}
		one.Edges = n
		d.Drawings = append(d.Drawings, *one)
	}
	return nil
}

// arrows returns the pairs in the order of their priority for the layout: edges of the first result, of the
// second, then of the truth. An undirected edge follows the order of the certificate, so that it does not
// reverse another one.
func (t *table) arrows(results []labelled, truth *Truth) []arrow {
	var out []arrow
	at := map[pair]int{}
	add := func(i, j int, gain float64, bare, weak bool) {
		if i == j {
			return
		}
		key := pair{min(i, j), max(i, j)}
		k, seen := at[key]
		if !seen {
			at[key] = len(out)
			out = append(out, arrow{Edge: graph.Edge{From: i, To: j}, gain: gain, bare: bare, weak: weak})
			return
		}
		out[k].gain = max(out[k].gain, gain)
		out[k].bare = out[k].bare && bare
		out[k].weak = out[k].weak && weak
	}
	for _, r := range results {
		place := names.Index(r.Result.Certificate.Order)
		for _, e := range r.Result.Edges {
			from, to := e.From, e.To
			if !e.Directed() && place[from] > place[to] {
				from, to = to, from
			}
			add(t.index[from], t.index[to], e.Size(), !e.Directed(), e.Verdict == polydag.Weak)
		}
	}
	late := map[graph.Edge]int{}
	for _, r := range results {
		for _, l := range r.Result.Summary()[len(r.Result.Edges):] {
			e := graph.Edge{From: t.index[l.From], To: t.index[l.To]}
			if k, seen := late[e]; seen {
				out[k].gain = max(out[k].gain, l.Size())
				out[k].weak = out[k].weak && l.Verdict == polydag.Weak
				continue
			}
			late[e] = len(out)
			out = append(out, arrow{Edge: e, gain: l.Size(), lagged: true, weak: l.Verdict == polydag.Weak})
		}
	}
	if truth != nil {
		for _, p := range t.links(truth.Edges) {
			add(p[0], p[1], 0, true, false)
		}
	}
	return out
}

// window is the ratio of width to height of the graph area in a browser window.
const window = 1.5

func (d *content) drawing(ctx context.Context, names []string, arrows []arrow) (*drawing, error) {
	g := layout.Graph{}
	for _, name := range names {
		g.Nodes = append(g.Nodes, layout.Node{Name: name, Width: width(name), Height: nodeHeight})
	}
	linked := make([]bool, len(names))
	for _, a := range arrows {
		linked[a.From], linked[a.To] = true, true
		g.Edges = append(g.Edges, layout.Edge{Edge: a.Edge, Weight: a.gain})
	}
	d.keepRoom(&g, arrows)
	places, err := layout.Packed(ctx, g, layout.Settings{LayerGap: 46, NodeGap: 16, Hasty: true}, window)
	if err != nil {
		return nil, err
	}
	out := &drawing{Nodes: make([][4]float64, len(g.Nodes)), Routes: make([]route, len(g.Edges))}
	for i, p := range places.Nodes {
		out.Nodes[i] = [4]float64{tenth(p.X), tenth(p.Y), g.Nodes[i].Width, g.Nodes[i].Height}
	}
	for k, e := range g.Edges {
		out.Routes[k] = route{Edge: e.Edge, Lagged: arrows[k].lagged}
		for _, p := range places.Edges[k] {
			out.Routes[k].Points = append(out.Routes[k].Points, tenth(p.X), tenth(p.Y))
		}
		if e.LabelWidth > 0 {
			out.Routes[k].Label = []float64{tenth(places.Labels[k].X), tenth(places.Labels[k].Y)}
		}
	}
	out.fold(linked)
	return out, nil
}

// fewEdges is the largest number of edges for which the drawing reserves space for every label.
const fewEdges = 24

// keepRoom reserves boxes for the labels of a small graph: a weight and, if unusual, the comparison with the
// truth or the other result.
func (d *content) keepRoom(g *layout.Graph, arrows []arrow) {
	if len(g.Edges) > fewEdges {
		return
	}
	const weight, lag, letter = 46.0, 36.0, 6.2 // for 11 px text
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
	if d.Methods != nil { // any two results may be compared
		for _, e := range g.Edges {
			mark([]pair{{e.From, e.To}}, "turned round", false)
		}
	}
	for k := range g.Edges {
		e := &g.Edges[k]
		e.LabelHeight = 16
		if e.LabelWidth = room[pair{min(e.From, e.To), max(e.From, e.To)}]; e.LabelWidth == 0 {
			e.LabelWidth = weight
		}
		if arrows[k].lagged {
			e.LabelWidth += lag
		}
	}
}

// The page shows names in 13 px. The browser truncates those that do not fit and shows the whole name on
// request.
const (
	nodeHeight = 28
	perEm      = 7.6 // average character width of system-ui fonts, with some margin
	padding    = 18
	widest     = 190
)

// width estimates the width of a name. East Asian characters and emoji count twice, combining marks not at all.
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

// tenth rounds to a tenth of a pixel, which halves the file size.
func tenth(v float64) float64 { return math.Round(v*10) / 10 }
