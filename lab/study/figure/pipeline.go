package figure

import "math"

// Pipeline draws steps from left to right, each a box with a title and lines of detail, with arrows between.
type Pipeline struct{ Steps []Step }

// A Step is one box.
type Step struct {
	Title  string
	Detail []string
	Color  int
	Images bool // drawn scenes instead of the detail
}

// Draw draws the boxes into an area of the page.
func (l Pipeline) Draw(p *Page, area Rect) {
	if len(l.Steps) == 0 {
		return
	}
	const arrow = 18.0
	w := (area.W() - arrow*float64(len(l.Steps)-1)) / float64(len(l.Steps))
	lines := 0
	for _, s := range l.Steps {
		lines = max(lines, len(s.Detail))
		if s.Images {
			lines = max(lines, 4)
		}
	}
	mid := (area.Y0 + area.Y1) / 2
	high := min(area.H(), 34+10.5*float64(lines))
	for i, s := range l.Steps {
		x := area.X0 + float64(i)*(w+arrow)
		c := colorOf(s.Color)
		box := Rect{x, mid - high/2, x + w, mid + high/2}
		p.Fill(tint(c, 0.14), rounded(box, 6)...)
		p.Outline(c, 1.1, rounded(box, 6)...)
		p.Text(Point{x + w/2, box.Y1 - 14}, s.Title, Style{Size: 9, Bold: true, Align: Center})
		if s.Images {
			scenes(p, Rect{box.X0 + 6, box.Y0 + 5, box.X1 - 6, box.Y1 - 22})
		}
		for k, d := range s.Detail {
			st := Style{Size: 7.4, Align: Center}
			if wide := p.Width(d, st); wide > w-8 {
				st.Size *= (w - 8) / wide
			}
			p.Text(Point{x + w/2, box.Y1 - 30 - 10.5*float64(k)}, d, st)
		}
		if i > 0 {
			p.Stroke(gray, 1.6, nil, Point{x - arrow + 3, mid}, Point{x - 7, mid})
			p.Fill(gray, Point{x - 2, mid}, Point{x - 8.5, mid + 3.6}, Point{x - 8.5, mid - 3.6})
		}
	}
}

// scenes draws six small pictures, each with one or two of a sun, a house and a tree.
func scenes(p *Page, area Rect) {
	const cols, rows, gap = 3, 2, 3.0
	w, h := (area.W()-gap*(cols-1))/cols, (area.H()-gap*(rows-1))/rows
	for k, has := range []struct{ sun, house, tree bool }{{true, true, false}, {false, false, true}, {true, false, true}, {false, true, true}, {true, false, false}, {false, true, false}} {
		x, y := area.X0+float64(k%cols)*(w+gap), area.Y0+float64(k/cols)*(h+gap)
		at := func(u, v float64) Point { return Point{x + u*w, y + v*h} }
		frame := Rect{x, y, x + w, y + h}
		sky := tint(colorOf(1), 0.35)
		if !has.sun {
			sky = tint(gray, 0.3)
		}
		p.Fill(sky, frame.corners()...)
		p.Fill(tint(colorOf(5), 0.45), at(0, 0), at(1, 0), at(1, 0.3), at(0, 0.3))
		if has.sun {
			p.Fill(colorOf(3), rounded(Rect{x + 0.92*w - 0.3*h, y + 0.62*h, x + 0.92*w, y + 0.92*h}, 0.15*h)...)
		}
		if has.house {
			p.Fill(colorOf(4), at(0.12, 0.2), at(0.42, 0.2), at(0.42, 0.52), at(0.27, 0.72), at(0.12, 0.52))
		}
		if has.tree {
			p.Fill(gray, at(0.6, 0.2), at(0.66, 0.2), at(0.66, 0.4), at(0.6, 0.4))
			p.Fill(colorOf(5), at(0.5, 0.36), at(0.76, 0.36), at(0.63, 0.8))
		}
		p.Outline(gray, 0.6, frame.corners()...)
	}
}

func rounded(r Rect, radius float64) []Point {
	var out []Point
	corner := func(x, y, from float64) {
		for k := range 7 {
			s, c := math.Sincos(from + math.Pi/2*float64(k)/6)
			out = append(out, Point{x + radius*c, y + radius*s})
		}
	}
	corner(r.X1-radius, r.Y1-radius, 0)
	corner(r.X0+radius, r.Y1-radius, math.Pi/2)
	corner(r.X0+radius, r.Y0+radius, math.Pi)
	corner(r.X1-radius, r.Y0+radius, 3*math.Pi/2)
	return out
}
