package draw

import (
	"io"
	"math"

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
	p.paint(&vgCanvas{img, k, p.h, p.fonts})
	_, err := vgimg.PngCanvas{Canvas: img}.WriteTo(w)
	if err != nil {
		return err
	}
	return nil
}

// vgCanvas draws on a canvas of gonum/plot, whose y points up.
type vgCanvas struct {
	c     vg.Canvas
	k     float64 // scale
	h     float64 // page height before scaling
	fonts *fonts
}

func (v *vgCanvas) at(q point) vg.Point {
	return vg.Point{X: vg.Length(q.X * v.k), Y: vg.Length((v.h - q.Y) * v.k)}
}

func (v *vgCanvas) group(string, string) {}
func (v *vgCanvas) end()                 {}

func (v *vgCanvas) paint(path vg.Path, s style) {
	if s.fill.A != 0 {
		v.c.SetColor(s.fill)
		v.c.Fill(path)
	}
	if s.stroke.A != 0 {
		v.c.SetColor(s.stroke)
		v.c.SetLineWidth(vg.Length(s.width * v.k))
		var d []vg.Length
		for _, x := range s.dashes {
			d = append(d, vg.Length(x*v.k))
		}
		v.c.SetLineDash(d, 0)
		v.c.Stroke(path)
	}
}

func (v *vgCanvas) box(r rect, radius float64, s style) {
	var path vg.Path
	for i, q := range outline(r, radius) {
		switch {
		case i == 0:
			path.Move(v.at(q[0]))
		case len(q) == 1:
			path.Line(v.at(q[0]))
		default:
			path.CubeTo(v.at(q[0]), v.at(q[1]), v.at(q[2]))
		}
	}
	path.Close()
	v.paint(path, s)
}

// outline returns a box with round corners as steps: to a point, or along a curve. The first is the start.
func outline(r rect, radius float64) [][]point {
	if radius <= 0 {
		return [][]point{{{X: r.X0, Y: r.Y0}}, {{X: r.X1, Y: r.Y0}}, {{X: r.X1, Y: r.Y1}}, {{X: r.X0, Y: r.Y1}}}
	}
	a := min(radius, r.w()/2, r.h()/2)
	c := a * (1 - 4*(math.Sqrt2-1)/3) // the cubic closest to a quarter circle
	return [][]point{
		{{X: r.X0 + a, Y: r.Y0}},
		{{X: r.X1 - a, Y: r.Y0}}, {{X: r.X1 - c, Y: r.Y0}, {X: r.X1, Y: r.Y0 + c}, {X: r.X1, Y: r.Y0 + a}},
		{{X: r.X1, Y: r.Y1 - a}}, {{X: r.X1, Y: r.Y1 - c}, {X: r.X1 - c, Y: r.Y1}, {X: r.X1 - a, Y: r.Y1}},
		{{X: r.X0 + a, Y: r.Y1}}, {{X: r.X0 + c, Y: r.Y1}, {X: r.X0, Y: r.Y1 - c}, {X: r.X0, Y: r.Y1 - a}},
		{{X: r.X0, Y: r.Y0 + a}}, {{X: r.X0, Y: r.Y0 + c}, {X: r.X0 + c, Y: r.Y0}, {X: r.X0 + a, Y: r.Y0}},
	}
}

func (v *vgCanvas) curve(pts []point, s style) {
	var path vg.Path
	path.Move(v.at(pts[0]))
	for i := 1; i+2 < len(pts); i += 3 {
		path.CubeTo(v.at(pts[i]), v.at(pts[i+1]), v.at(pts[i+2]))
	}
	v.paint(path, s)
}

func (v *vgCanvas) polygon(pts []point, s style) {
	var path vg.Path
	path.Move(v.at(pts[0]))
	for _, q := range pts[1:] {
		path.Line(v.at(q))
	}
	path.Close()
	v.paint(path, s)
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
