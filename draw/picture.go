package draw

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/draw/internal/layout"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/trust"
)

// A Picture is a result laid out on a page, ready to be written in any format.
type Picture struct {
	// Width and Height are the page size in millimetres.
	Width, Height float64
	// TextSize is the printed size of names in points; below about 5 they are hard to read.
	TextSize float64
	// DPI is the resolution of a PNG in dots per inch: the requested one, or less if it would exceed 60 million
	// pixels.
	DPI int
	// Shown, Hidden and Left count edges: the threshold hides edges, and Settings.Edges omits them. LeftNodes
	// counts columns that are omitted with their edges.
	Shown, Hidden, Left, LeftNodes int

	opt        Settings
	kind       graph.Kind
	theme      theme
	fonts      *fonts
	w, h       float64 // page size before scaling, in points
	nodes      []node
	edges      []edge // in drawing order
	heaviest   float64
	title      []line
	legend     []legendRow
	summary    string
	caution    string  // about attributes of people, below the legend
	bars       *bars   // in place of a graph; nil for none
	panels     []panel // likewise
	exceptions bool    // an edge has a photo
}

type node struct {
	name      string
	lines     []string
	box       rect
	faded     bool
	marked    bool
	sensitive bool
	photo     *photo // nil for none
}

// edge is an arrow with an optional number.
type edge struct {
	polydag.Line
	ends   graph.Edge // by index of nodes
	curve  []point
	width  float64
	faded  bool
	stands bool // highlighted by a path or a column
	label  string
	at     point  // center of the label and the photo
	photo  *photo // nil for none
}

const (
	margin   = 10.0
	perMM    = 72 / 25.4
	leading  = 1.18 // line height of a name
	maxWords = 17.0 // line width of a name, in font sizes
)

// New lays out a result. It neither changes nor retains res.
func New(ctx context.Context, res *polydag.Result, opt Settings) (*Picture, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if len(res.Names) == 0 {
		return nil, fmt.Errorf("the result has no columns: nothing to draw")
	}
	f, err := loadFonts(opt.Font)
	if err != nil {
		return nil, err
	}
	p := &Picture{opt: opt, theme: themeOf(opt), fonts: f, kind: res.Kind, caution: trust.PeopleSentence(res.Warnings)}
	if err := p.choose(res); err != nil {
		return nil, err
	}
	if err := p.place(ctx); err != nil {
		return nil, err
	}
	p.summary = p.describe()
	return p, nil
}

// choose selects the edges to draw and their highlighting.
func (p *Picture) choose(res *polydag.Result) error {
	index := names.Index(res.Names)
	for _, name := range res.Names {
		p.nodes = append(p.nodes, node{name: name})
	}
	find := func(option string, names []string) ([]int, error) {
		var out []int
		for _, name := range names {
			i, ok := index[name]
			if !ok {
				return nil, optionError("%s: the result has no column %q%s", option, name, closest(name, res.Names))
			}
			out = append(out, i)
		}
		return out, nil
	}
	marked, err := find("highlight", p.opt.Highlight)
	if err != nil {
		return err
	}
	path, err := find("path", p.opt.Path)
	if err != nil {
		return err
	}
	if p.opt.Sensitive == nil { // those that learn was given
		p.opt.Sensitive = res.Table.Sensitive
	}
	sensitive, err := find("sensitive", p.opt.Sensitive)
	if err != nil {
		return err
	}
	for _, i := range sensitive {
		p.nodes[i].sensitive = true
	}
	onPath := map[[2]int]bool{}
	for k := range len(path) - 1 {
		onPath[[2]int{path[k], path[k+1]}] = true
	}
	fades := len(marked)+len(path) > 0
	for i := range p.nodes {
		p.nodes[i].marked = slices.Contains(marked, i) || slices.Contains(path, i)
		p.nodes[i].faded = fades && !p.nodes[i].marked
	}
	for _, e := range res.Summary() {
		from, okFrom := index[e.From]
		to, okTo := index[e.To]
		if !okFrom || !okTo {
			return fmt.Errorf("the result has an edge %s → %s between names that it does not list", e.From, e.To)
		}
		if graph.Words(e.Mark) == "" {
			return fmt.Errorf("the mark of %s and %s is %q; want one of %s", e.From, e.To, e.Mark, strings.Join(graph.Symbols(), " "))
		}
		stands := e.Directed() && onPath[[2]int{from, to}]
		if stands {
			delete(onPath, [2]int{from, to})
		}
		if e.Directed() && e.Gain != 0 && e.Gain < p.opt.Threshold && !stands {
			p.Hidden++
			continue
		}
		if !stands && (slices.Contains(marked, from) || slices.Contains(marked, to)) {
			stands = true
		}
		p.heaviest = max(p.heaviest, e.Size())
		p.edges = append(p.edges, edge{Line: e, ends: graph.Edge{From: from, To: to}, faded: fades && !stands, stands: stands})
	}
	for k := range len(path) - 1 { // the remaining pairs have no edge
		if onPath[[2]int{path[k], path[k+1]}] {
			return optionError("path: the graph has no edge %s → %s", p.opt.Path[k], p.opt.Path[k+1])
		}
	}
	p.strongest()
	if err := p.addImages(); err != nil {
		return err
	}
	p.Shown = len(p.edges)
	numbers := p.opt.Labels == LabelsOn || p.opt.Labels == LabelsAuto && p.Shown <= mostLabels
	for k := range p.edges {
		e := &p.edges[k]
		if !e.Directed() {
			e.width = plainWidth
			continue
		}
		e.width = lineWidth(e.Size(), p.heaviest)
		if numbers {
			e.label = e.number(p.opt.Mono)
		} else if p.opt.Labels != LabelsOff {
			e.label = e.Label("") // lags are part of the graph
		}
	}
	return nil
}

// place computes the layout and stacks title, graph and legend.
func (p *Picture) place(ctx context.Context) error {
	g := p.boxes()
	opt := layout.DefaultSettings()
	opt.LayerGap *= p.opt.FontSize / 9
	opt.NodeGap *= p.opt.FontSize / 9
	opt.Aspect = 2
	lay := layout.Layered
	if p.Left > 0 { // the strongest edges alone often form many small components
		lay = func(ctx context.Context, g layout.Graph, opt layout.Settings) (*layout.Drawing, error) {
			return layout.Packed(ctx, g, opt, opt.Aspect)
		}
	}
	d, err := lay(ctx, g, opt)
	if err != nil {
		return err
	}
	inner := max(d.Width, 30*p.opt.FontSize)
	p.w = inner + 2*margin
	y := margin
	if p.opt.Title != "" {
		size := 1.25 * p.opt.FontSize
		text := p.fonts.cut(p.opt.Title, size, inner, true)
		p.title = append(p.title, line{at: point{X: p.w / 2, Y: y + 0.8*size}, text: text, width: p.fonts.width(text, size, true), size: size, bold: true, center: true, color: p.theme.ink})
		y += 2 * size
	}
	left := (p.w - d.Width) / 2
	move := func(q point) point { return point{X: q.X + left, Y: q.Y + y} }
	for i := range p.nodes {
		c, n := move(d.Nodes[i]), g.Nodes[i]
		p.nodes[i].box = rect{c.X - n.Width/2, c.Y - n.Height/2, c.X + n.Width/2, c.Y + n.Height/2}
	}
	for k := range p.edges {
		e := &p.edges[k]
		for _, q := range d.Edges[k] {
			e.curve = append(e.curve, move(q))
		}
		if d.Labels[k] == (point{}) {
			e.label, e.photo = "", nil
		}
		e.at = move(d.Labels[k])
	}
	y += d.Height
	if p.opt.Legend || p.caution != "" {
		y = p.placeLegend(y+1.6*p.opt.FontSize, inner)
	}
	p.h = y + margin
	// Faded edges lie below the others, and strong ones below weak ones, which they would hide.
	slices.SortStableFunc(p.edges, func(a, b edge) int {
		if a.faded != b.faded {
			if a.faded {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.Size(), a.Size())
	})
	p.fit()
	return nil
}

// fit sets the size of the page from that of the picture.
func (p *Picture) fit() {
	scale := 1.0
	if p.opt.Width > 0 {
		scale = p.opt.Width * perMM / p.w
	}
	p.Width, p.Height, p.TextSize = p.w*scale/perMM, p.h*scale/perMM, p.opt.FontSize*scale
	p.DPI = min(p.opt.DPI, int(math.Sqrt(mostDots/(p.w*p.h))*72/scale))
}

func (p *Picture) boxes() layout.Graph {
	size := p.opt.FontSize
	g := layout.Graph{}
	in, out := make([]int, len(p.nodes)), make([]int, len(p.nodes))
	for _, e := range p.edges {
		out[e.ends.From]++
		in[e.ends.To]++
		edge := layout.Edge{Edge: e.ends, Weight: e.Size()}
		if e.label != "" {
			edge.LabelWidth = p.fonts.width(e.label, p.labelSize(), false) + 4
			edge.LabelHeight = 1.3 * p.labelSize()
		}
		if e.photo != nil {
			edge.LabelWidth = max(edge.LabelWidth, e.photo.w+4)
			edge.LabelHeight += e.photo.h + 4
		}
		g.Edges = append(g.Edges, edge)
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		n.lines = p.fonts.wrap(n.name, size, maxWords*size)
		widest := 0.0
		for _, l := range n.lines {
			widest = max(widest, p.fonts.width(l, size, n.marked))
		}
		room := min(0.8*size*float64(max(in[i], out[i])), 10*size) // space for adjacent arrow heads
		box := layout.Node{Name: n.name, Width: max(widest+1.5*size, room, 3*size), Height: (leading*float64(len(n.lines)) + 0.9) * size}
		if n.photo != nil {
			box.Width, box.Height = max(box.Width, n.photo.w+size), box.Height+n.photo.h+0.3*size
		}
		g.Nodes = append(g.Nodes, box)
	}
	return g
}

func (p *Picture) labelSize() float64 { return 0.8 * p.opt.FontSize }

// number returns the text on an arrow: the standardized weight or, if a slope does not describe the effect, the
// score gain in bits per row, and the lags.
func (e edge) number(plus bool) string {
	if e.Gain != 0 && (e.Sign() == 0 || e.Standardized == 0) {
		return e.Label(bits(e.Gain) + " bit")
	}
	return e.Label(number(e.Standardized, plus))
}

// bits formats a score gain with two significant digits.
func bits(v float64) string {
	return strings.ReplaceAll(strconv.FormatFloat(v, 'g', 2, 64), "-", "−")
}

// number formats a weight with two decimals, a typographic minus, and a plus if there are no colors.
func number(v float64, plus bool) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', 2, 64)
	switch {
	case v < 0:
		return "−" + s
	case plus:
		return "+" + s
	}
	return s
}

// Write lays out a result and writes it as a picture.
func Write(ctx context.Context, w io.Writer, format Format, res *polydag.Result, opt Settings) error {
	p, err := New(ctx, res, opt)
	if err != nil {
		return err
	}
	return p.Write(w, format)
}

// Write writes the picture. Equal results and settings give equal bytes.
func (p *Picture) Write(w io.Writer, format Format) error {
	switch format {
	case SVG:
		return p.writeSVG(w)
	case PNG:
		return p.writePNG(w)
	case PDF:
		return p.writePDF(w)
	}
	return optionError("format %q, want svg, png or pdf", format)
}
