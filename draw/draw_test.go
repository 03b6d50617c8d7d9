package draw

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/trust"
)

// random returns a result with d columns, whose names are short, long or strange.
func random(seed uint64, d int, perNode float64, strange bool) *polydag.Result {
	rng := rand.New(rand.NewPCG(seed, 3))
	res := &polydag.Result{}
	for i := range d {
		name := fmt.Sprint("x", i)
		if strange {
			name = odd[rng.IntN(len(odd))] + strings.Repeat("_word", rng.IntN(12)) + fmt.Sprint(i)
		}
		res.Names = append(res.Names, name)
	}
	order := rng.Perm(d)
	for i := range d {
		for j := range i {
			if rng.Float64() < 2*perNode/float64(d-1) {
				res.Edges = append(res.Edges, polydag.Edge{Link: polydag.Link{From: res.Names[order[j]], To: res.Names[order[i]]}, Mark: "-->",
					Standardized: rng.NormFloat64(), EdgeFacts: polydag.EdgeFacts{Compelled: rng.IntN(3) > 0}})
			}
		}
	}
	return res
}

var odd = []string{"", "age (years)", "🙂👨‍👩‍👧‍👦", "שלום עולם", "مرحبا", "<img src=x onerror=alert(1)>", "</script>", "a&b\"'", "\x00\xff\u202e", "日本語", strings.Repeat("m", 200)}

// page is the parsed content of an SVG.
type page struct {
	w, h   float64
	nodes  []rect
	texts  []rect // the boxes of the names inside nodes
	labels []rect
	all    []rect // every text
	titles []string
}

func number64(t *testing.T, a []xml.Attr, name string) float64 {
	t.Helper()
	for _, x := range a {
		if x.Name.Local == name {
			v := must.Get(strconv.ParseFloat(x.Value, 64))
			return v
		}
	}
	return 0
}

func parse(t *testing.T, svg []byte) page {
	t.Helper()
	var p page
	class, boxes := "", 0
	dec := xml.NewDecoder(bytes.NewReader(svg))
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return p
		}
		if err != nil {
			t.Fatalf("the SVG is not XML: %v", err)
		}
		switch e := tok.(type) {
		case xml.EndElement:
			if e.Name.Local == "g" {
				class = ""
			}
		case xml.StartElement:
			attr := func(name string) string {
				for _, x := range e.Attr {
					if x.Name.Local == name {
						return x.Value
					}
				}
				return ""
			}
			num := func(name string) float64 { return number64(t, e.Attr, name) }
			switch e.Name.Local {
			case "svg":
				must.Get(fmt.Sscanf(attr("viewBox"), "0 0 %g %g", &p.w, &p.h))
			case "g":
				class, boxes = attr("class"), 0
			case "title":
				var s string
				must.Succeed(t, dec.DecodeElement(&s, &e))
				p.titles = append(p.titles, s)
			case "rect":
				if boxes++; class == "node" && boxes == 1 {
					p.nodes = append(p.nodes, rect{num("x"), num("y"), num("x") + num("width"), num("y") + num("height")})
				}
			case "text":
				x, y, w, size := num("x"), num("y"), num("textLength"), num("font-size")
				if attr("text-anchor") == "middle" {
					x -= w / 2
				}
				r := rect{x, y - 0.75*size, x + w, y + 0.22*size}
				p.all = append(p.all, r)
				switch class {
				case "node":
					p.texts = append(p.texts, r)
				case "label":
					p.labels = append(p.labels, r)
				}
			case "script", "image", "foreignObject", "a", "style":
				t.Errorf("a picture has no <%s>", e.Name.Local)
			}
		}
	}
}

func (r rect) meets(s rect) bool { return r.X0 < s.X1 && s.X0 < r.X1 && r.Y0 < s.Y1 && s.Y0 < r.Y1 }
func (r rect) holds(s rect) bool {
	const eps = 0.02 // two digits
	return r.X0 <= s.X0+eps && r.Y0 <= s.Y0+eps && r.X1 >= s.X1-eps && r.Y1 >= s.Y1-eps
}

// TestNothingOverlaps checks that names and numbers do not overlap, names are inside their boxes, and
// everything is on the page.
func TestNothingOverlaps(t *testing.T) {
	for _, c := range []struct {
		d       int
		perNode float64
	}{{8, 1.5}, {20, 1}, {20, 3}, {50, 0.5}, {50, 3}} {
		for _, strange := range []bool{false, true} {
			for _, labels := range []Labels{LabelsOn, LabelsOff} {
				for seed := range uint64(2) {
					if (testing.Short() || c.d > 8) && seed > 0 {
						continue
					}
					if c.d > 8 && strange != (labels == LabelsOn) { // seconds each: strange names have labels, plain ones none
						continue
					}
					t.Run(fmt.Sprintf("d=%d/edges=%g/strange=%v/labels=%s/seed=%d", c.d, c.perNode, strange, labels, seed), func(t *testing.T) {
						opt := DefaultSettings()
						opt.Edges = AllEdges
						opt.Labels, opt.Title = labels, "A title"
						res := random(seed, c.d, c.perNode, strange)
						var b bytes.Buffer
						must.Succeed(t, Write(context.Background(), &b, SVG, res, opt))
						p := parse(t, b.Bytes())
						if len(p.nodes) != c.d || labels == LabelsOn && len(p.labels) < len(res.Edges)-1 { // one may have found no room
							t.Fatalf("%d nodes, %d labels of %d edges", len(p.nodes), len(p.labels), len(res.Edges))
						}
						check(t, p)
					})
				}
			}
		}
	}
}

func check(t *testing.T, p page) {
	t.Helper()
	sheet := rect{0, 0, p.w, p.h}
	solid := append(slices.Clone(p.nodes), p.labels...)
	for i, a := range solid {
		if !sheet.holds(a) {
			t.Errorf("box %d at %v is not on the page of %v × %v", i, a, p.w, p.h)
		}
		for j, b := range solid[:i] {
			if a.meets(b) {
				t.Errorf("boxes %d and %d overlap: %v, %v (%d are names)", i, j, a, b, len(p.nodes))
			}
		}
	}
	for _, r := range p.texts {
		if !slices.ContainsFunc(p.nodes, func(n rect) bool { return n.holds(r) }) {
			t.Errorf("the text at %v is in no box", r)
		}
	}
	for i, r := range p.all {
		if !sheet.holds(r) {
			t.Errorf("the text at %v is not on the page of %v × %v", r, p.w, p.h)
		}
		for _, s := range p.all[:i] {
			if r.meets(s) {
				t.Errorf("two texts overlap: %v, %v", r, s)
			}
		}
	}
}

func verdict(v polydag.Verdict) trust.Judgement {
	return trust.Judgement{Verdict: v, Confidence: 0.9, PAdjacent: 0.9, PDirection: 0.6}
}

func small() *polydag.Result {
	return &polydag.Result{Kind: "dag", Names: []string{"age", "education", "income", "shoe size", "height"}, Edges: []polydag.Edge{
		{Link: polydag.Link{From: "age", To: "education"}, Mark: "-->", Standardized: -0.31, EdgeFacts: polydag.EdgeFacts{Compelled: true}, Judgement: verdict(polydag.Directed)},
		{Link: polydag.Link{From: "education", To: "income"}, Mark: "-->", Standardized: 0.62, EdgeFacts: polydag.EdgeFacts{Compelled: true}, Judgement: verdict(polydag.Undirected)},
		{Link: polydag.Link{From: "age", To: "income"}, Mark: "-->", Standardized: 0.08, EdgeFacts: polydag.EdgeFacts{Compelled: true}, Judgement: verdict(polydag.Weak)},
		{Link: polydag.Link{From: "height", To: "shoe size"}, Mark: "-->", Standardized: 0.85},
	}}
}

func svgOf(t *testing.T, opt Settings) string {
	t.Helper()
	return svgOfResult(t, small(), opt)
}

func svgOfResult(t *testing.T, r *polydag.Result, opt Settings) string {
	t.Helper()
	var b bytes.Buffer
	must.Succeed(t, Write(context.Background(), &b, SVG, r, opt))
	return b.String()
}

// TestSameBytes checks that all formats are reproducible, and that the small picture has the reviewed bytes.
func TestSameBytes(t *testing.T) {
	p := must.Get(New(context.Background(), small(), DefaultSettings()))
	for format, magic := range map[Format]string{SVG: "<svg ", PNG: "\x89PNG", PDF: "%PDF-"} {
		var a, b bytes.Buffer
		must.Succeed(t, errors.Join(p.Write(&a, format), p.Write(&b, format)))
		if !strings.HasPrefix(a.String(), magic) || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: starts with %q, same twice: %v", format, a.String()[:5], bytes.Equal(a.Bytes(), b.Bytes()))
		}
	}
	if got, want := fmt.Sprintf("%x", sha256.Sum256([]byte(svgOf(t, DefaultSettings())))), "1e596341e5dfea608cd55811dd0b3c9440c8cd9d09064391e0b23bca40c56cda"; got != want {
		t.Errorf("the SVG has the sum %s, want %s; look at the picture before changing this", got, want)
	}
}

func TestSize(t *testing.T) {
	opt := DefaultSettings()
	opt.Width, opt.DPI = 85, 100
	p := must.Get(New(context.Background(), small(), opt))
	if p.Width != 85 || !(math.Abs(p.TextSize/9-85*perMM/p.w) <= 1e-9) {
		t.Errorf("%v mm wide, text of %v points", p.Width, p.TextSize)
	}
	var b bytes.Buffer
	must.Succeed(t, p.Write(&b, PNG))
	cfg, err := png.DecodeConfig(&b)
	if err != nil || cfg.Width != 335 { // 85 / 25.4 · 100
		t.Errorf("%d dots wide, error %v", cfg.Width, err)
	}
	if svg := svgOf(t, opt); !strings.Contains(svg, `width="85mm"`) {
		t.Error("the SVG is not 85 mm wide")
	}
	opt.Width, opt.DPI = 5000, 1200
	p = must.Get(New(context.Background(), small(), opt))
	dots := p.Width / 25.4 * float64(p.DPI) * p.Height / 25.4 * float64(p.DPI)
	if dots > mostDots || dots < 0.8*mostDots {
		t.Errorf("a page of 5 m gets %d dots an inch, %.0f in all", p.DPI, dots)
	}
}

func TestThresholdIsAView(t *testing.T) {
	opt := DefaultSettings()
	opt.Threshold = 0.01
	r := small()
	r.Edges[2].Gain = 0.005
	svg := svgOfResult(t, r, opt)
	if strings.Contains(svg, "age — income") || !strings.Contains(svg, "1 of 4 edges hidden (score gain below 0.01 bits per row); the graph was not fitted again") {
		t.Error("the weak edge shows, or the page does not say what is hidden")
	}
	opt.Path = []string{"age", "income"}
	if svg = svgOfResult(t, r, opt); !strings.Contains(svg, "age — income") || strings.Contains(svg, "hidden") {
		t.Error("the threshold hides an edge of the path")
	}
}

// TestMono checks that signs and directions are visible without colors, and that only black, white and gray are
// used.
func TestMono(t *testing.T) {
	opt := DefaultSettings()
	opt.Mono = true
	svg := svgOf(t, opt)
	for _, want := range []string{">+0.62<", ">−0.31<", "stroke-dasharray"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s", want)
		}
	}
	p := must.Get(New(context.Background(), small(), opt))
	if p.theme.positive != p.theme.ink || p.theme.negative != p.theme.ink {
		t.Error("signs have colours")
	}
	// Two edges have a head. A hollow head is a triangle on a triangle: one polygon more for the negative edge and its sample in the legend.
	if n := strings.Count(svg, "<polygon"); n != 2+1+2+1 {
		t.Errorf("%d triangles", n)
	}
}

func TestHighlight(t *testing.T) {
	opt := DefaultSettings()
	opt.Path = []string{"age", "education", "income"}
	p := must.Get(New(context.Background(), small(), opt))
	for _, e := range p.edges {
		if want := e.From == "height" || e.From == "age" && e.To == "income"; e.faded != want {
			t.Errorf("%s → %s faded: %v", e.From, e.To, e.faded)
		}
	}
	for _, n := range p.nodes {
		if want := n.name == "height" || n.name == "shoe size"; n.faded != want || n.marked == want {
			t.Errorf("%s faded: %v, marked: %v", n.name, n.faded, n.marked)
		}
	}
	if p.edges[0].faded != true || p.edges[len(p.edges)-1].faded {
		t.Error("faded edges lie above the others")
	}
}

func TestRefused(t *testing.T) {
	for want, change := range map[string]func(*Settings){
		`no column "Age"; did you mean age?`:      func(o *Settings) { o.Highlight = []string{"Age"} },
		`sensitive: the result has no column "z"`: func(o *Settings) { o.Sensitive = []string{"z"} },
		"no edge income → age":                    func(o *Settings) { o.Path = []string{"income", "age"} },
		"path of one column":                      func(o *Settings) { o.Path = []string{"age"} },
		`font "comic"`:                            func(o *Settings) { o.Font = "comic" },
		"width 3 mm":                              func(o *Settings) { o.Width = 3 },
		"width NaN mm":                            func(o *Settings) { o.Width = math.NaN() },
		"threshold NaN":                           func(o *Settings) { o.Threshold = math.NaN() },
		`theme "gray"`:                            func(o *Settings) { o.Theme = "gray" },
		`labels "many"`:                           func(o *Settings) { o.Labels = "many" },
		"0 dots an inch":                          func(o *Settings) { o.DPI = 0 },
		"font size 0 points":                      func(o *Settings) { o.FontSize = 0 },
	} {
		opt := DefaultSettings()
		change(&opt)
		if _, err := New(context.Background(), small(), opt); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := Write(context.Background(), io.Discard, "gif", small(), DefaultSettings()); !errors.Is(err, ErrOption) {
		t.Errorf("gif: %v", err)
	}
	if _, err := New(context.Background(), &polydag.Result{}, DefaultSettings()); err == nil {
		t.Error("a result without columns was drawn")
	}
	bad := &polydag.Result{Names: []string{"a"}, Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->"}}}
	if _, err := New(context.Background(), bad, DefaultSettings()); err == nil {
		t.Error("an edge to nowhere was drawn")
	}
}

// TestOddResults checks that one column, no edges, weights of zero, and names of every kind give a picture in
// every format, fonts and themes included.
func TestOddResults(t *testing.T) {
	strange := &polydag.Result{Names: odd}
	for i := 1; i < len(odd); i++ {
		strange.Edges = append(strange.Edges, polydag.Edge{Link: polydag.Link{From: odd[i-1], To: odd[i]}, Mark: "-->", Standardized: 0.1 * float64(i%3-1)})
	}
	zero := small()
	for i := range zero.Edges {
		zero.Edges[i].Standardized = 0
	}
	for name, res := range map[string]*polydag.Result{"one": {Names: []string{"alone"}}, "none": {Names: []string{"a", "b", "c"}}, "strange": strange, "zero": zero} {
		for i, format := range Formats() {
			opt := DefaultSettings()
			opt.Font = []string{"sans", "serif", "mono"}[i]
			opt.Theme = []string{"dark", "light", "dark"}[i]
			opt.DPI, opt.Title = 60, odd[5]+odd[2]+odd[8]
			opt.Sensitive = res.Names[:1]
			var b bytes.Buffer
			if err := Write(context.Background(), &b, format, res, opt); err != nil {
				t.Errorf("%s as %s: %v", name, format, err)
			}
			if format == SVG {
				p := parse(t, b.Bytes())
				check(t, p)
				if len(p.nodes) != len(res.Names) {
					t.Errorf("%s: %d boxes for %d columns", name, len(p.nodes), len(res.Names))
				}
				if name == "strange" && !(slices.Contains(p.titles, strings.Repeat("m", 200)) && slices.Contains(p.titles, odd[5]) && slices.Contains(p.titles, odd[6])) {
					t.Errorf("the whole names are not in the titles, letter by letter: %q", p.titles)
				}
			}
			if strings.Contains(b.String(), "NaN") || format == SVG && strings.Contains(b.String(), "Inf") {
				t.Errorf("%s as %s: a number is not one", name, format)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	f := must.Get(loadFonts("sans"))
	for name, want := range map[string]string{
		"Male":                                "Male",
		"":                                    "(no name)",
		" \t":                                 "(no name)",
		"two\nlines":                          "two lines",
		"number_of_visits_in_the_last_year":   "number_of_visits_in_the_|last_year",
		strings.Repeat("w", 40):               "wwwwwwwwwwwwwwwwww|wwwwwwwwwwwwwwwwww|wwww",
		strings.Repeat("long_", 30) + "tail9": "long_long_long_long_long_|long_long_long_long_long_|…long_long_long_long_tail9",
	} {
		got := f.wrap(name, 9, 118)
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", name, strings.Join(got, "|"), want)
		}
		for _, l := range got {
			if f.width(l, 9, false) > 118 {
				t.Errorf("%q is %v points wide", l, f.width(l, 9, false))
			}
		}
	}
}

func TestDrawable(t *testing.T) {
	f := must.Get(loadFonts("sans"))
	for s, want := range map[string]string{"abc": "abc", "a🙂b": "a□b", "−0.5…": "−0.5…", "שלום": "םולש", "x שלום עולם y": "x םלוע םולש y", "e\u0301": "e\u0301"} {
		if got := f.drawable(s, false); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// TestArrow checks that a shortened curve is a part of the curve and ends at the requested distance, with the
// head's tip at the original end.
func TestArrow(t *testing.T) {
	curve := []point{{X: 0, Y: 0}, {X: 10, Y: 20}, {X: 30, Y: 20}, {X: 30, Y: 60}, {X: 30, Y: 62}, {X: 31, Y: 63}, {X: 32, Y: 64}}
	for _, r := range []float64{1, 4, 8, 20} {
		c := cut(curve, r)
		end := c[len(c)-1]
		if d := math.Hypot(end.X-32, end.Y-64); !(math.Abs(d-r) <= 1e-6) {
			t.Errorf("cut at %v: ends %v away", r, d)
		}
		if len(c)%3 != 1 || c[0] != curve[0] {
			t.Errorf("cut at %v: %v", r, c)
		}
	}
	a := newArrow(curve, 2, false)
	if a.head[0] != curve[6] {
		t.Errorf("the tip is at %v", a.head[0])
	}
	in := shrink([3]point{{X: 0, Y: 0}, {X: 4, Y: 0}, {X: 0, Y: 3}}, 0.5) // inscribed circle: middle (1, 1), radius 1
	for i, want := range []point{{X: 0.5, Y: 0.5}, {X: 2.5, Y: 0.5}, {X: 0.5, Y: 2}} {
		if math.Hypot(in[i].X-want.X, in[i].Y-want.Y) > 1e-12 {
			t.Errorf("corner %d at %v, want %v", i, in[i], want)
		}
	}
}

// TestVerdicts checks that the verdict on an edge is visible in its line, its title and the legend: only a
// directed edge has a head, and only a weak one is dotted.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		verdict       polydag.Verdict
		words, legend string
	}{
		{polydag.Directed, "a → b: standardized weight 0.50, directed, confidence 0.90, basis names", ">fainter: less confidence<"},
		{polydag.Undirected, "a — b: standardized weight 0.50, undirected, probability of the adjacency 0.90, of this direction 0.60", ">undirected: adjacent, direction not stated<"},
		{polydag.Weak, "a — b: standardized weight 0.50, weak, probability of the adjacency 0.90", ">weak: probability of the adjacency below 0.8<"},
		{"", "a → b: standardized weight 0.50, not learned", ">positive<"},
	} {
		e := polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Standardized: 0.5}
		if c.verdict != "" {
			e.Judgement = verdict(c.verdict)
			e.Basis = trust.ByNames
		}
		var b bytes.Buffer
		must.Succeed(t, Write(context.Background(), &b, SVG, &polydag.Result{Names: []string{"a", "b"}, Edges: []polydag.Edge{e}}, DefaultSettings()))
		_, group, found := strings.Cut(b.String(), `<g class="edge"><title>`+c.words)
		group, _, _ = strings.Cut(group, "</g>")
		if !found || !strings.Contains(b.String(), c.legend) {
			t.Errorf("%q: no %q or %q in\n%s", c.verdict, c.words, c.legend, b.String())
		}
		if head := strings.Contains(group, "<polygon"); head != (c.verdict == polydag.Directed || c.verdict == "") {
			t.Errorf("%q: has a head: %v", c.verdict, head)
		}
		if dotted := strings.Contains(group, "dasharray"); dotted != (c.verdict == polydag.Weak) {
			t.Errorf("%q: dotted: %v", c.verdict, dotted)
		}
	}
}

// TestLevelsHaveAStrength checks that an edge between two categorical columns shows its score gain, not a
// weight of 0.
func TestLevelsHaveAStrength(t *testing.T) {
	effect := &polydag.Effect{Form: "table", FromLevels: []string{"0", "1"}, ToLevels: []string{"0", "1"}, P: [][]float64{{0.9, 0.1}, {0.2, 0.8}}}
	e := edge{Line: polydag.Line{Edge: polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Gain: 0.4, EdgeFacts: polydag.EdgeFacts{Effect: effect}}}}
	if e.Sign() != 1 || e.number(false) != "0.4 bit" {
		t.Errorf("sign %v, number %q, want 1 and 0.4 bit", e.Sign(), e.number(false))
	}
	e.Standardized = 0.5
	if e.number(false) != "0.50" {
		t.Errorf("with a slope: %q", e.number(false))
	}
}

// marked are a CPDAG, a PAG with every mark, and an average whose edges, read from left to right, go round in a circle.
func marked() map[string]*polydag.Result {
	return map[string]*polydag.Result{
		"cpdag": {Kind: "cpdag", Names: []string{"a", "b", "c", "d", "e"}, Edges: []polydag.Edge{
			{Link: polydag.Link{From: "a", To: "c"}, Mark: "-->", Standardized: -0.5, EdgeFacts: polydag.EdgeFacts{Compelled: true}}, {Link: polydag.Link{From: "b", To: "c"}, Mark: "-->", Standardized: 0.4, EdgeFacts: polydag.EdgeFacts{Compelled: true}}, {Link: polydag.Link{From: "d", To: "e"}, Mark: "---"},
		}},
		"pag": {Kind: "pag", Names: []string{"a", "b", "c", "d", "e", "f"}, Edges: []polydag.Edge{
			{Link: polydag.Link{From: "a", To: "b"}, Mark: "o->"}, {Link: polydag.Link{From: "b", To: "c"}, Mark: "-->", Standardized: 0.5, EdgeFacts: polydag.EdgeFacts{Compelled: true}},
			{Link: polydag.Link{From: "c", To: "d"}, Mark: "<->"}, {Link: polydag.Link{From: "e", To: "d"}, Mark: "o--"}, {Link: polydag.Link{From: "e", To: "f"}, Mark: "o-o"}, {Link: polydag.Link{From: "a", To: "f"}, Mark: "---"},
		}},
		"average": {Kind: "average", Names: []string{"a", "b", "c"}, Edges: []polydag.Edge{
			{Link: polydag.Link{From: "c", To: "a"}, Mark: "-->", Standardized: 1}, {Link: polydag.Link{From: "a", To: "b"}, Mark: "-->"}, {Link: polydag.Link{From: "b", To: "c"}, Mark: "o-o"},
		}},
	}
}

// TestMarks checks that graphs other than DAGs are drawn in every format. In the SVG each edge has a head per
// arrow and a circle per circle mark, and the legend explains each mark once. A threshold hides no edge without
// a weight.
func TestMarks(t *testing.T) {
	for name, res := range marked() {
		for _, format := range Formats() {
			opt := DefaultSettings()
			opt.Threshold, opt.DPI = 0.3, 60
			var b bytes.Buffer
			if err := Write(context.Background(), &b, format, res, opt); err != nil {
				t.Fatalf("%s as %s: %v", name, format, err)
			}
			if format != SVG {
				continue
			}
			svg := b.String()
			check(t, parse(t, b.Bytes()))
			for _, e := range res.Edges {
				if e.Directed() {
					continue
				}
				title := escape(e.From + " " + e.Mark + " " + e.To + ": ")
				_, rest, found := strings.Cut(svg, `<g class="edge"><title>`+title)
				part, _, _ := strings.Cut(rest, "</g>")
				heads, circles := strings.Count(part, "<polygon"), strings.Count(part, "<rect")
				if !found || heads != strings.Count(e.Mark, "<")+strings.Count(e.Mark, ">") || circles != strings.Count(e.Mark, "o") || strings.Contains(part, "dasharray") {
					t.Errorf("%s: %s has %d heads and %d circles in\n%s", name, e.Mark, heads, circles, part)
				}
				if n := strings.Count(svg, ">"+markWords[e.Mark]+"<"); n != 1 {
					t.Errorf("%s: the legend has %q %d times", name, markWords[e.Mark], n)
				}
			}
			if strings.Contains(svg, "acyclic graph of") || !strings.Contains(svg, "<desc>A") {
				t.Errorf("%s is called a DAG", name)
			}
		}
	}
	bad := &polydag.Result{Names: []string{"a", "b"}, Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}}}}
	if _, err := New(context.Background(), bad, DefaultSettings()); err == nil || !strings.Contains(err.Error(), "mark") {
		t.Errorf("an edge without a mark: %v", err)
	}
	opt := DefaultSettings()
	opt.Path = []string{"d", "e"}
	if _, err := New(context.Background(), marked()["cpdag"], opt); !errors.Is(err, ErrOption) {
		t.Errorf("a path along an undirected edge: %v", err)
	}
}

// TestBetween checks that a shortened curve lies between its end marks, and that a circle touches the end.
func TestBetween(t *testing.T) {
	curve := []point{{X: 0, Y: 0}, {X: 10, Y: 0}, {X: 20, Y: 0}, {X: 30, Y: 0}}
	r, l := circleRadius(1), 0.8*headLength(1)
	for mark, want := range map[string][2]float64{"---": {0, 30}, "-->": {0, 30 - l}, "<->": {l, 30 - l}, "o->": {2 * r, 30 - l}, "o--": {2 * r, 30}, "o-o": {2 * r, 30 - 2*r}} {
		got := between(curve, mark, 1, false)
		if a, b := got[0].X, got[len(got)-1].X; !(math.Abs(a-want[0]) <= 1e-6) || !(math.Abs(b-want[1]) <= 1e-6) {
			t.Errorf("%s: from %v to %v, want %v", mark, a, b, want)
		}
	}
	if m := circleAt(curve, 1); !(math.Abs(m.X-(30-r)) <= 1e-6) {
		t.Errorf("the circle is at %v", m)
	}
}

// TestDenseResultIsDrawnReadable checks that a dense result is drawn with a readable number of edges and a
// note, and completely if requested.
func TestDenseResultIsDrawnReadable(t *testing.T) {
	res := &polydag.Result{Kind: "dag"}
	for i := range 60 {
		res.Names = append(res.Names, fmt.Sprintf("column_%d", i))
	}
	for i := range 60 {
		for j := i + 1; j < min(i+7, 60); j++ {
			res.Edges = append(res.Edges, polydag.Edge{Link: polydag.Link{From: res.Names[i], To: res.Names[j]}, Mark: "-->", Standardized: 1 / float64(1+i+j)})
		}
	}
	all := len(res.Edges)
	for _, k := range []struct{ edges, shown, nodes int }{{AutoEdges, 60, 0}, {AllEdges, all, 60}, {5, 5, 0}, {all, all, 60}} {
		opt := DefaultSettings()
		opt.Edges = k.edges
		p := must.Get(New(context.Background(), res, opt))
		if p.Shown != k.shown || p.Shown+p.Left != all || k.nodes > 0 && p.LeftNodes > 0 || k.nodes == 0 && p.LeftNodes == 0 {
			t.Errorf("edges %d: %d shown, %d and %d columns left out", k.edges, p.Shown, p.Left, p.LeftNodes)
		}
		var b strings.Builder
		must.Succeed(t, p.Write(&b, SVG))
		if note := fmt.Sprintf("%d edges with the largest score gain, of %d", k.shown, all); strings.Contains(b.String(), note) != (k.shown < all) {
			t.Errorf("edges %d: %q is on the page: %v", k.edges, note, k.shown == all)
		}
		for _, e := range p.edges {
			if p.nodes[e.ends.From].name != e.From || p.nodes[e.ends.To].name != e.To || p.nodes[e.ends.From].box.Y1 > p.nodes[e.ends.To].box.Y0 {
				t.Fatalf("edges %d: %s → %s is drawn from %s to %s", k.edges, e.From, e.To, p.nodes[e.ends.From].name, p.nodes[e.ends.To].name)
			}
		}
	}
	opt := DefaultSettings()
	opt.Threshold = 0.001 // the reader's own choice
	if p, err := New(context.Background(), res, opt); err != nil || p.Left != 0 {
		t.Errorf("a threshold: %v", err)
	}
	opt = DefaultSettings()
	opt.Path = []string{"column_58", "column_59"} // the weakest
	if p, err := New(context.Background(), res, opt); err != nil || p.Shown != 61 {
		t.Errorf("a path: %v, %d shown", err, p.Shown)
	}
}

// TestCaution checks that the picture of attributes of people says how not to read it, also without a legend, and others do not.
func TestCaution(t *testing.T) {
	for _, legend := range []bool{true, false} {
		opt := DefaultSettings()
		opt.Legend = legend
		res := &polydag.Result{Names: []string{"Male", "Young"}}
		text := must.Text(t, func(w io.Writer) error { return Write(context.Background(), w, SVG, res, opt) })
		if strings.Contains(text, "Attributes of people") {
			t.Error("a caution without a reason")
		}
		res.Warnings = []string{trust.PeopleCaution}
		text = must.Text(t, func(w io.Writer) error { return Write(context.Background(), w, SVG, res, opt) })
		must.Contain(t, text, "Attributes of people can reflect", "infer who somebody is.")
	}
}

// TestImages checks that images of nodes and edges, and panels, are in every format, the same bytes each time, and that a broken one is named.
func TestImages(t *testing.T) {
	var photo bytes.Buffer
	must.Succeed(t, jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 8, 4)), nil))
	link := polydag.Link{From: "a", To: "b"}
	res := &polydag.Result{Names: []string{"a", "b", "c"}, Edges: []polydag.Edge{{Link: link, Mark: "-->", Gain: 0.1, Weight: 1, Standardized: 0.5}}, Warnings: []string{trust.PeopleCaution}}
	opt := DefaultSettings()
	opt.Images = Images{Nodes: map[string][]byte{"a": photo.Bytes(), "c": photo.Bytes()}, Edges: map[polydag.Link][]byte{link: photo.Bytes()}}
	graph := must.Get(New(context.Background(), res, opt))
	panels := must.Get(Panels([]Panel{{"a = 1", [][]byte{photo.Bytes(), photo.Bytes()}}}, []string{trust.PeopleSentence(res.Warnings)}, DefaultSettings()))
	for _, c := range []struct {
		p      *Picture
		photos int
	}{{graph, 3}, {panels, 2}} {
		svg := must.Text(t, func(w io.Writer) error { return c.p.Write(w, SVG) })
		must.Same(t, strings.Count(svg, "<image "), c.photos)
		must.Contain(t, svg, "Attributes of people")
		for _, format := range Formats() {
			once := must.Text(t, func(w io.Writer) error { return c.p.Write(w, format) })
			must.Same(t, once, must.Text(t, func(w io.Writer) error { return c.p.Write(w, format) }), format)
		}
	}
	must.Contain(t, must.Text(t, func(w io.Writer) error { return graph.Write(w, PDF) }), "/DCTDecode")
	opt.Images.Nodes["a"] = []byte("no image")
	if _, err := New(context.Background(), res, opt); err == nil || !strings.Contains(err.Error(), "the image of a: ") {
		t.Errorf("got %v", err)
	}
}
