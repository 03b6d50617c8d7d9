package draw

import (
	"io"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// mostDots is the largest image in pixels. It needs 4 bytes per pixel, and a second for ten million.
const mostDots = 60e6

func (p *Picture) writePNG(w io.Writer) error {
	k := p.Width * perMM / p.w
	img := vgimg.NewWith(vgimg.UseWH(vg.Length(p.w*k), vg.Length(p.h*k)), vgimg.UseDPI(p.DPI), vgimg.UseBackgroundColor(p.theme.page))
	p.paint(penCanvas{&vgCanvas{c: img, k: k, h: p.h, fonts: p.fonts}})
	_, err := vgimg.PngCanvas{Canvas: img}.WriteTo(w)
	return err
}

// vgCanvas draws on a canvas of gonum/plot, whose y points up.
type vgCanvas struct {
	c     vg.Canvas
	k     float64 // scale
	h     float64 // page height before scaling
	fonts *fonts
	path  vg.Path // the path that is drawn
}

func (v *vgCanvas) at(q point) vg.Point {
	return vg.Point{X: vg.Length(q.X * v.k), Y: vg.Length((v.h - q.Y) * v.k)}
}

func (v *vgCanvas) begin(style)        { v.path = nil }
func (v *vgCanvas) move(q point)       { v.path.Move(v.at(q)) }
func (v *vgCanvas) line(q point)       { v.path.Line(v.at(q)) }
func (v *vgCanvas) cube(a, b, q point) { v.path.CubeTo(v.at(a), v.at(b), v.at(q)) }
func (v *vgCanvas) close()             { v.path.Close() }

func (v *vgCanvas) photo(r rect, f *photo) {
	v.c.DrawImage(vg.Rectangle{Min: v.at(point{X: r.X0, Y: r.Y1}), Max: v.at(point{X: r.X1, Y: r.Y0})}, f.img)
}

func (v *vgCanvas) paint(s style) {
	if s.fill.A != 0 {
		v.c.SetColor(s.fill)
		v.c.Fill(v.path)
	}
	if s.stroke.A != 0 {
		v.c.SetColor(s.stroke)
		v.c.SetLineWidth(vg.Length(s.width * v.k))
		var d []vg.Length
		for _, x := range s.dashes {
			d = append(d, vg.Length(x*v.k))
		}
		v.c.SetLineDash(d, 0)
		v.c.Stroke(v.path)
	}
}

func (v *vgCanvas) text(t line) {
	f := font.Font{Typeface: "Liberation", Variant: font.Variant(v.fonts.embedded), Size: vg.Length(t.size * v.k)}
	if t.bold {
		f.Weight = xfont.WeightBold
	}
	text := v.fonts.drawable(t.text, t.bold)
	left := t.left(v.fonts.width(text, t.size, t.bold))
	v.c.SetColor(t.color)
	v.c.FillString(font.Face{Font: f, Face: v.fonts.of(t.bold)}, v.at(point{X: left, Y: t.at.Y}), text)
}
