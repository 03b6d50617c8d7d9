package draw

import "image/color"

// A canvas is a page in one of the formats. Lengths are in points, and y points down.
type canvas interface {
	// group opens a part of the picture with a title; end closes it.
	group(class, title string)
	end()
	box(r rect, radius float64, s style)
	curve(pts []point, s style) // cubic Bézier
	polygon(pts []point, s style)
	text(t line)
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
