package figure

import "math"

// Pipeline draws steps from left to right, each a box with a title and lines of detail, with arrows between.
type Pipeline struct{ Steps []Step }

// A Step is one box.
type Step struct {
	Title  string
	Detail []string
	Color  int
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
