package figure

import (
	"math"
)

// A Series is one curve.
type Series struct {
	Label  string
	Color  int // in the palette; its marker too
	X, Y   []float64
	Err    []float64 // half the length of an error bar; may be nil
	Dash   Dash
	Hollow bool
	Points bool // markers at the points
}

// A Dash is a way of drawing a line.
type Dash int

// The dashes.
const (
	Solid Dash = iota
	Dashed
	Dotted // thinner, to lie on another curve
)

func (d Dash) style() (width float64, dashes []float64) {
	switch d {
	case Dashed:
		return 1.4, []float64{5, 2.5}
	case Dotted:
		return 1.1, []float64{1.2, 2.4}
	}
	return 1.4, nil
}

// A Panel is one plotting area.
type Panel struct {
	Title  string
	Series []Series
}

// Lines is a chart of curves, panels side by side with one scale and one legend below.
type Lines struct {
	Panels []Panel
	X, Y   Axis // Min and Max are chosen where both are 0
}

// Draw draws the chart into an area of the page.
func (l Lines) Draw(p *Page, area Rect) {
	l.X, l.Y = l.fit(l.X, true), l.fit(l.Y, false)
	var entries []entry
	seen := map[string]bool{}
	for _, panel := range l.Panels {
		for _, s := range panel.Series {
			if !seen[s.Label] {
				seen[s.Label] = true
				entries = append(entries, entry{s.Label, func(b Rect) { p.curve(nil, s, b) }})
			}
		}
	}
	height := p.legend(entries, area.X0, area.X1, 0, false)
	p.legend(entries, area.X0, area.X1, area.Y0+height, true)
	top := 4.0
	for _, panel := range l.Panels {
		if panel.Title != "" {
			top = 18
		}
	}
	body := Rect{area.X0 + 42, area.Y0 + height + 36, area.X1 - 10, area.Y1 - top}
	w := (body.W() - gap*float64(len(l.Panels)-1)) / float64(len(l.Panels))
	for i, panel := range l.Panels {
		x := body.X0 + float64(i)*(w+gap)
		f := frame{Rect{x, body.Y0, x + w, body.Y1}, l.X, l.Y}
		p.drawFrame(f, panel.Title, i > 0)
		for _, s := range panel.Series {
			p.curve(&f, s, Rect{})
		}
	}
}

const gap = 22.0

// curve draws a series into a frame or, without one, its sample into a box of the legend.
func (p *Page) curve(f *frame, s Series, box Rect) {
	c := colorOf(s.Color)
	width, dashes := s.Dash.style()
	var pts []Point
	if f == nil {
		y := (box.Y0 + box.Y1) / 2
		pts = []Point{{box.X0, y}, {box.X1, y}}
		p.Stroke(c, width, dashes, pts...)
		if s.Points {
			p.marker(s.Color, Point{(box.X0 + box.X1) / 2, y}, 2.8, c, s.Hollow)
		}
		return
	}
	for i := range s.X {
		if f.y.Log && s.Y[i] <= 0 {
			continue
		}
		at := f.at(s.X[i], s.Y[i])
		pts = append(pts, at)
		if s.Err == nil || s.Err[i] == 0 {
			continue
		}
		low := f.Y0
		if v := s.Y[i] - s.Err[i]; !f.y.Log || v > f.y.Min {
			low = max(f.at(s.X[i], v).Y, f.Y0)
		}
		high := min(f.at(s.X[i], s.Y[i]+s.Err[i]).Y, f.Y1)
		p.Stroke(c, 0.9, nil, Point{at.X, low}, Point{at.X, high})
		for _, y := range []float64{low, high} {
			p.Stroke(c, 0.9, nil, Point{at.X - 2.5, y}, Point{at.X + 2.5, y})
		}
	}
	if len(pts) > 1 {
		p.Stroke(c, width, dashes, pts...)
	}
	if s.Points {
		for _, at := range pts {
			p.marker(s.Color, at, 2.8, c, s.Hollow)
		}
	}
}

// fit chooses the ends of an axis from the data.
func (l Lines) fit(a Axis, isX bool) Axis {
	if a.Min != 0 || a.Max != 0 {
		return a
	}
	a.Min, a.Max = math.Inf(1), math.Inf(-1)
	for _, panel := range l.Panels {
		for _, s := range panel.Series {
			values := s.Y
			if isX {
				values = s.X
			}
			for i, v := range values {
				if a.Log && v <= 0 {
					continue
				}
				up := v
				if !isX && s.Err != nil {
					up += s.Err[i]
				}
				a.Min, a.Max = min(a.Min, v), max(a.Max, up)
			}
		}
	}
	switch {
	case !(a.Min <= a.Max): // nothing to show
		a.Min, a.Max = 1, 10
	case a.Log:
		pad := max(math.Pow(a.Max/a.Min, 0.06), 1.15)
		a.Min, a.Max = a.Min/pad, a.Max*pad
	default:
		if !isX {
			a.Max += 0.06 * (a.Max - min(a.Min, 0))
			a.Min = min(a.Min, 0)
		}
		if a.Max == a.Min {
			a.Max++
		}
	}
	return a
}

// entry is one line of a legend; draw paints its sample into the box left of the text.
type entry struct {
	label string
	draw  func(box Rect)
}

const (
	legendSize = 8.0
	legendRow  = 12.5
	sampleWide = 22.0
)

// legend writes entries in columns below top and returns its height. With draw false it only measures.
func (p *Page) legend(entries []entry, x0, x1, top float64, draw bool) float64 {
	if len(entries) == 0 {
		return 0
	}
	widest := 0.0
	for _, e := range entries {
		widest = max(widest, p.Width(e.label, Style{Size: legendSize}))
	}
	cell := widest + sampleWide + 18
	cols := max(1, min(len(entries), int((x1-x0)/cell)))
	rows := (len(entries) + cols - 1) / cols
	cols = (len(entries) + rows - 1) / rows
	if draw {
		left := x0 + ((x1-x0)-float64(cols)*cell+18)/2
		for i, e := range entries {
			x, y := left+float64(i/rows)*cell, top-legendRow*(float64(i%rows)+0.5)
			e.draw(Rect{x, y - 4, x + sampleWide - 4, y + 4})
			p.Text(Point{x + sampleWide, y}, e.label, Style{Size: legendSize})
		}
	}
	return legendRow * float64(rows)
}
