package figure

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/polydag/polydag/internal/must"
)

func TestParts(t *testing.T) {
	for s, want := range map[string][]run{
		"plain":          {{"plain", 0}},
		"No_Beard":       {{"No_Beard", 0}},
		"h_{geo} = 1":    {{"h", 0}, {"geo", -1}, {" = 1", 0}},
		"d^{2.50}":       {{"d", 0}, {"2.50", 1}},
		"10^{−3}_{x}":    {{"10", 0}, {"−3", 1}, {"x", -1}},
		"open_{brace":    {{"open_{brace", 0}},
		"a_b^{c} d_{e}f": {{"a_b", 0}, {"c", 1}, {" d", 0}, {"e", -1}, {"f", 0}},
	} {
		got := parts(s)
		if len(got) != len(want) {
			t.Errorf("%q: %v", s, got)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%q: %v, want %v", s, got, want)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	labels := func(a Axis) string {
		var out []string
		for _, k := range a.ticks() {
			if k.label != "" {
				out = append(out, k.label)
			}
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		a    Axis
		want string
	}{
		{Axis{Min: 0, Max: 1.04}, "0 0.2 0.4 0.6 0.8 1"},
		{Axis{Min: 0, Max: 2000}, "0 500 1000 1500 2000"},
		{Axis{Log: true, Min: 0.03, Max: 200}, "0.1 1 10 100"},
		{Axis{Log: true, Min: 1e-5, Max: 1.5}, "10^{−5} 10^{−4} 10^{−3} 0.01 0.1 1"},
		{Axis{Log: true, Min: 1.5, Max: 9}, "2 5"},
		{Axis{Log: true, Min: 90, Max: 600, At: []float64{100, 200, 500}}, "100 200 500"},
	} {
		if got := labels(c.a); got != c.want {
			t.Errorf("%+v: %s, want %s", c.a, got, c.want)
		}
	}
}

func render(t *testing.T, draw func(*Page)) (svg string, pixels int) {
	t.Helper()
	p := NewPage(75, 50)
	draw(p)
	var s, b bytes.Buffer
	must.Succeed(t, p.Write(&s, &b))
	img := must.Get(png.Decode(&b))
	return s.String(), img.Bounds().Dx()
}

// TestCharts checks that both formats are written, contain the text, and are reproducible.
func TestCharts(t *testing.T) {
	nan := math.NaN()
	charts := map[string]interface{ Draw(*Page, Rect) }{
		"lines": Lines{X: Axis{Label: "size", Log: true}, Y: Axis{Label: "seconds", Log: true}, Panels: []Panel{{Title: "left", Series: []Series{
			{Label: "first", X: []float64{10, 100}, Y: []float64{1, 50}, Err: []float64{2, 3}, Points: true},
			{Label: "second", Color: 1, X: []float64{10, 100}, Y: []float64{0, 5}, Dash: Dotted},
		}}, {Title: "right"}}},
		"bars": Bars{Y: Axis{Label: "F1"}, Marks: []string{"paper"}, Panels: []BarPanel{{Title: "raw", Groups: []string{"d = 5", "d = 6"}, Series: []BarSeries{
			{Label: "one", Bars: []Bar{{Value: 0.5, Err: 0.1, Marks: []float64{0.6}}, {Value: nan, Marks: []float64{nan}}}},
		}}}},
		"pipeline": Pipeline{Steps: []Step{{Title: "Start", Detail: []string{"a line that is far too long for the box it stands in, or is it"}}, {Title: "End"}}},
		"empty":    Lines{Panels: []Panel{{}}},
	}
	words := map[string][]string{
		"lines": {"size", "seconds", "left", "right", "first", "second"}, "bars": {"F1", "paper", "raw", "d = 5", "one"},
		"pipeline": {"Start", "End"},
	}
	for name, c := range charts {
		svg, wide := render(t, func(p *Page) { c.Draw(p, p.Area()) })
		if !testing.Short() { // the race detector makes drawing slow
			if again, _ := render(t, func(p *Page) { c.Draw(p, p.Area()) }); svg != again {
				t.Errorf("%s: two drawings differ", name)
			}
		}
		if want := 75 / 25.4 * Resolution; !(math.Abs(float64(wide)-want) <= 2) {
			t.Errorf("%s: %d pixels wide, want %.0f", name, wide, want)
		}
		for _, w := range words[name] {
			if !strings.Contains(svg, w) {
				t.Errorf("%s: no %q in the SVG", name, w)
			}
		}
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%s: a coordinate is not a number", name)
		}
	}
}

// TestPDF checks that a PDF is reproducible, embeds its fonts, and grows with its content.
func TestPDF(t *testing.T) {
	write := func(y []float64) []byte {
		page := NewPage(100, 80)
		Lines{Y: Axis{Label: "bits a row"}, Panels: []Panel{{Title: "minus: −1", Series: []Series{{Label: "a", Points: true, X: []float64{1, 2, 3}[:len(y)], Y: y}}}}}.Draw(page, page.Area())
		var b bytes.Buffer
		must.Succeed(t, page.WritePDF(&b))
		return b.Bytes()
	}
	one := write([]float64{1, -2, 3})
	if !bytes.HasPrefix(one, []byte("%PDF-")) || !bytes.Contains(one, []byte("/FontFile2")) {
		t.Error("no PDF with its own fonts")
	}
	if !bytes.Equal(one, write([]float64{1, -2, 3})) {
		t.Error("the same page has other bytes")
	}
	if bytes.Equal(one, write([]float64{1, -2, 2})) {
		t.Error("another page has the same bytes")
	}
}

// TestPDFTransforms checks that points are rotated and translated as recorded, and that Pop restores the state.
func TestPDFTransforms(t *testing.T) {
	c := &pdfCanvas{height: 100}
	c.Push()
	c.Translate(vg.Point{X: 10, Y: 20})
	c.Rotate(1.5707963267948966)
	if x, y := c.at(vg.Point{X: 5, Y: 1}); x < 8.999 || x > 9.001 || y < 74.999 || y > 75.001 {
		t.Errorf("(5, 1) is at (%v, %v), want (9, 75)", x, y)
	}
	c.Pop()
	if x, y := c.at(vg.Point{X: 5, Y: 1}); x != 5 || y != 99 {
		t.Errorf("(5, 1) is at (%v, %v), want (5, 99)", x, y)
	}
}

// TestRows checks that a chart of rows has every label, title and text, proportional bars, and none for missing
// values.
func TestRows(t *testing.T) {
	p := NewPage(120, 60)
	Rows{Labels: []string{"one", "two", "three"}, Columns: []RowColumn{{Title: "height", Values: []float64{2, math.NaN(), 1}, Words: []string{"2 m", "none", "1 m"}}}}.Draw(p, p.Area())
	var svg, png bytes.Buffer
	must.Succeed(t, p.Write(&svg, &png))
	for _, word := range []string{"one", "two", "three", "height", "2 m", "none", "1 m"} {
		if !strings.Contains(svg.String(), ">"+word+"<") {
			t.Errorf("the figure does not say %q", word)
		}
	}
	if n := strings.Count(svg.String(), "<path") - 3; n < 2 { // three lines between rows
		t.Errorf("%d bars:\n%s", n, svg.String())
	}
	Rows{}.Draw(p, p.Area()) // draws nothing
}

// TestHeat checks that a heat map has a number in every cell but those of the diagonal, each from its side.
func TestHeat(t *testing.T) {
	p := NewPage(120, 120)
	Heat{Title: "agreement", Labels: []string{"one", "two"}, Below: [][]float64{{1, 0.11}, {0.22, 1}}, Above: [][]float64{{1, 0.33}, {0.44, 1}}}.Draw(p, p.Area())
	var svg, png bytes.Buffer
	must.Succeed(t, p.Write(&svg, &png))
	for _, word := range []string{"agreement", "1 one", "2 two", "22", "33"} {
		if !strings.Contains(svg.String(), ">"+word+"<") {
			t.Errorf("the figure does not say %q", word)
		}
	}
	for _, word := range []string{"11", "44", "100"} {
		if strings.Contains(svg.String(), ">"+word+"<") {
			t.Errorf("the figure says %q, which is on the other side", word)
		}
	}
	Heat{}.Draw(p, p.Area())
}
