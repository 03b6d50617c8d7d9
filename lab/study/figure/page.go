package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/polydag/polydag/internal/liberation"
)

// Resolution of the PNG, in dots an inch.
const Resolution = 220

// A Page is a sheet to draw on. Lengths are in points, 72 to an inch, from the lower left corner.
type Page struct {
	rec    strokes
	ttf    [2][]byte // the regular and the bold font
	w, h   float64
	face   *font.Cache
	failed error
}

// Rect is a part of a page.
type Rect struct{ X0, Y0, X1, Y1 float64 }

// NewPage returns a white page of the given size in millimetres.
func NewPage(widthMM, heightMM float64) *Page {
	p := &Page{w: widthMM * 72 / 25.4, h: heightMM * 72 / 25.4, face: font.NewCache(nil)}
	if p.ttf[0], p.ttf[1], p.failed = liberation.Sans.TTF(); p.failed == nil {
		p.addFont(p.ttf[0], xfont.WeightNormal)
		p.addFont(p.ttf[1], xfont.WeightBold)
	}
	p.Fill(white, Rect{0, 0, p.w, p.h}.corners()...)
	return p
}

func (p *Page) addFont(ttf []byte, weight xfont.Weight) {
	f, err := opentype.Parse(ttf)
	if err != nil {
		p.failed = fmt.Errorf("figure: font: %w", err)
		return
	}
	p.face.Add(font.Collection{{Font: font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight}, Face: f}})
}

// Area is the page without a margin.
func (p *Page) Area() Rect { return Rect{6, 6, p.w - 6, p.h - 6} }

// Write writes the page in both formats.
func (p *Page) Write(svg, png io.Writer) error {
	if p.failed != nil {
		return p.failed
	}
	w, h := vg.Length(p.w), vg.Length(p.h)
	s := vgsvg.New(w, h)
	p.rec.replay(s)
	var b bytes.Buffer
	if _, err := s.WriteTo(&b); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	// If Liberation Sans is missing, use a font of the same widths.
	out := strings.ReplaceAll(b.String(), "font-family:Liberation Sans", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif")
	if _, err := io.WriteString(svg, out); err != nil {
		return err
	}
	img := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(Resolution))
	p.rec.replay(img)
	_, err := vgimg.PngCanvas{Canvas: img}.WriteTo(png)
	return err
}

func (r Rect) corners() []Point {
	return []Point{{r.X0, r.Y0}, {r.X1, r.Y0}, {r.X1, r.Y1}, {r.X0, r.Y1}}
}

// W and H are the sides.
func (r Rect) W() float64 { return r.X1 - r.X0 }
func (r Rect) H() float64 { return r.Y1 - r.Y0 }

// A Point is a place on a page.
type Point struct{ X, Y float64 }

// Fill fills a polygon.
func (p *Page) Fill(c color.Color, pts ...Point) {
	p.rec.SetColor(c)
	p.rec.Fill(pathOf(pts, true))
}

// Stroke draws a line through the points; dashes may be nil.
func (p *Page) Stroke(c color.Color, width float64, dashes []float64, pts ...Point) {
	p.strokePath(c, width, dashes, pathOf(pts, false))
}

// Outline draws the border of a polygon.
func (p *Page) Outline(c color.Color, width float64, pts ...Point) {
	p.strokePath(c, width, nil, pathOf(pts, true))
}

func (p *Page) strokePath(c color.Color, width float64, dashes []float64, path vg.Path) {
	p.rec.SetColor(c)
	p.rec.SetLineWidth(vg.Length(width))
	d := make([]vg.Length, len(dashes))
	for i, v := range dashes {
		d[i] = vg.Length(v)
	}
	p.rec.SetLineDash(d, 0)
	p.rec.Stroke(path)
}

func pathOf(pts []Point, closed bool) vg.Path {
	var path vg.Path
	for i, q := range pts {
		at := vg.Point{X: vg.Length(q.X), Y: vg.Length(q.Y)}
		if i == 0 {
			path.Move(at)
		} else {
			path.Line(at)
		}
	}
	if closed {
		path.Close()
	}
	return path
}

// Align places text about its point: Left starts there, Right ends there.
type Align int

// The alignments.
const (
	Left Align = iota
	Center
	Right
)

// Style of text.
type Style struct {
	Size  float64
	Bold  bool
	Color color.Color
	Align Align
	Up    bool // turned a quarter to the left
}

// Text writes one line whose middle of the capitals is at the height of the point.
func (p *Page) Text(at Point, s string, st Style) {
	if st.Color == nil {
		st.Color = black
	}
	if st.Up {
		p.rec.Push()
		p.rec.Translate(vg.Point{X: vg.Length(at.X), Y: vg.Length(at.Y)})
		p.rec.Rotate(math.Pi / 2)
		st.Up = false
		p.Text(Point{}, s, st)
		p.rec.Pop()
		return
	}
	x := at.X
	switch w := p.Width(s, st); st.Align {
	case Center:
		x -= w / 2
	case Right:
		x -= w
	}
	base := at.Y - 0.36*st.Size
	for _, part := range parts(s) {
		face, dy := p.fontOf(st, part.level)
		h := text.Plain{Fonts: p.face}
		p.rec.SetColor(st.Color)
		p.rec.FillString(p.face.Lookup(face, face.Size), vg.Point{X: vg.Length(x), Y: vg.Length(base + dy)}, part.text)
		w, _, _ := h.Box(part.text, face)
		x += float64(w)
	}
}

// Width is the length of a line of text.
func (p *Page) Width(s string, st Style) float64 {
	total := 0.0
	h := text.Plain{Fonts: p.face}
	for _, part := range parts(s) {
		face, _ := p.fontOf(st, part.level)
		w, _, _ := h.Box(part.text, face)
		total += float64(w)
	}
	return total
}

func (p *Page) fontOf(st Style, level int) (font.Font, float64) {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(st.Size)}
	if st.Bold {
		f.Weight = xfont.WeightBold
	}
	switch level {
	case -1:
		f.Size *= 0.72
		return f, -0.2 * st.Size
	case 1:
		f.Size *= 0.72
		return f, 0.38 * st.Size
	}
	return f, 0
}

type run struct {
	text  string
	level int // -1 below, 1 above the line
}

// parts splits a_{b}c^{d} into its levels. Signs that have no braces are text.
func parts(s string) []run {
	var out []run
	for s != "" {
		i := strings.Index(s, "_{")
		if j := strings.Index(s, "^{"); i < 0 || j >= 0 && j < i {
			i = j
		}
		end := -1
		if i >= 0 {
			end = strings.IndexByte(s[i:], '}')
		}
		if i < 0 || end < 0 {
			return append(out, run{s, 0})
		}
		if i > 0 {
			out = append(out, run{s[:i], 0})
		}
		level := 1
		if s[i] == '_' {
			level = -1
		}
		out = append(out, run{s[i+2 : i+end], level})
		s = s[i+end+1:]
	}
	return out
}

// strokes records drawing operations, to repeat them on a canvas of each format. The recorder of gonum/plot
// does the same but includes every font of the Liberation family, 2 MB for a program that uses two of them.
type strokes []func(vg.Canvas)

func (s strokes) replay(c vg.Canvas) {
	for _, draw := range s {
		draw(c)
	}
}

func (s *strokes) add(draw func(vg.Canvas)) { *s = append(*s, draw) }

// Those that follow are named as the methods of vg.Canvas that they call.

func (s *strokes) SetColor(c color.Color)       { s.add(func(v vg.Canvas) { v.SetColor(c) }) }
func (s *strokes) SetLineWidth(width vg.Length) { s.add(func(v vg.Canvas) { v.SetLineWidth(width) }) }
func (s *strokes) Fill(p vg.Path)               { s.add(func(v vg.Canvas) { v.Fill(p) }) }
func (s *strokes) Stroke(p vg.Path)             { s.add(func(v vg.Canvas) { v.Stroke(p) }) }
func (s *strokes) Push()                        { s.add(func(v vg.Canvas) { v.Push() }) }
func (s *strokes) Pop()                         { s.add(func(v vg.Canvas) { v.Pop() }) }
func (s *strokes) Translate(to vg.Point)        { s.add(func(v vg.Canvas) { v.Translate(to) }) }
func (s *strokes) Rotate(radians float64)       { s.add(func(v vg.Canvas) { v.Rotate(radians) }) }

func (s *strokes) SetLineDash(dashes []vg.Length, offset vg.Length) {
	s.add(func(v vg.Canvas) { v.SetLineDash(dashes, offset) })
}

func (s *strokes) FillString(f font.Face, at vg.Point, text string) {
	s.add(func(v vg.Canvas) { v.FillString(f, at, text) })
}
