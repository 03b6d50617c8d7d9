package draw

import (
	"image/color"
	"math"
)

// A canvas is a page in one of the formats. Lengths are in points, and y points down.
type canvas interface {
	// group opens a part of the picture with a title; end closes it.
	group(class, title string)
	end()
	box(r rect, radius float64, s style)
	curve(pts []point, s style) // cubic Bézier
	polygon(pts []point, s style)
	text(t line)
	photo(r rect, f *photo)
}

// style is a fill, an outline, or both.
type style struct {
	fill, stroke color.NRGBA // fully transparent means none
	width        float64
	dashes       []float64
}

type rect struct{ X0, Y0, X1, Y1 float64 }

func (r rect) w() float64 { return r.X1 - r.X0 }
func (r rect) h() float64 { return r.Y1 - r.Y0 }

func (r rect) inset(by float64) rect { return rect{r.X0 + by, r.Y0 + by, r.X1 - by, r.Y1 - by} }

// line is one line of text.
type line struct {
	at     point // left end or center of the baseline
	text   string
	width  float64
	size   float64
	bold   bool
	center bool
	color  color.NRGBA
}

// left returns the start of a text of the given width.
func (l line) left(width float64) float64 {
	if l.center {
		return l.at.X - width/2
	}
	return l.at.X
}

// A pen draws paths and text. A path begins with a style and ends with paint, which fills and strokes it.
type pen interface {
	begin(s style)
	move(q point)
	line(q point)
	cube(a, b, q point) // cubic Bézier
	close()
	paint(s style)
	text(t line)
	photo(r rect, f *photo)
}

// penCanvas draws the parts of a picture with a pen. It ignores titles.
type penCanvas struct{ pen }

func (c penCanvas) group(string, string) {}
func (c penCanvas) end()                 {}

func (c penCanvas) box(r rect, radius float64, s style) {
	c.begin(s)
	for i, q := range outline(r, radius) {
		switch {
		case i == 0:
			c.move(q[0])
		case len(q) == 1:
			c.line(q[0])
		default:
			c.cube(q[0], q[1], q[2])
		}
	}
	c.close()
	c.paint(s)
}

func (c penCanvas) curve(pts []point, s style) {
	c.begin(s)
	c.move(pts[0])
	for i := 1; i+2 < len(pts); i += 3 {
		c.cube(pts[i], pts[i+1], pts[i+2])
	}
	c.paint(s)
}

func (c penCanvas) polygon(pts []point, s style) {
	c.begin(s)
	c.move(pts[0])
	for _, q := range pts[1:] {
		c.line(q)
	}
	c.close()
	c.paint(s)
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
