package figure

import (
	"image/color"
	"math"
)

// Rows is a chart of horizontal bars: one row per compared item and one column per figure, each with its own
// scale from 0.
type Rows struct {
	Labels  []string
	Columns []RowColumn
}

// RowColumn is one figure of all rows. Values have their text next to the bar; NaN has only its text.
type RowColumn struct {
	Title  string
	Color  int
	Values []float64
	Words  []string
}

// Draw draws the chart into an area of the page, the first row on top.
func (r Rows) Draw(p *Page, area Rect) {
	if len(r.Labels) == 0 || len(r.Columns) == 0 {
		return
	}
	label := Style{Size: tickSize}
	names := 0.0
	for _, l := range r.Labels {
		names = max(names, p.Width(l, label))
	}
	const head = 22
	body := Rect{area.X0 + names + 10, area.Y0, area.X1, area.Y1 - head}
	high := body.H() / float64(len(r.Labels))
	at := func(k int) float64 { return body.Y1 - (float64(k)+0.5)*high }
	for k, l := range r.Labels {
		p.Text(Point{area.X0, at(k)}, l, label)
		p.Stroke(light, 0.4, nil, Point{area.X0, at(k) - high/2}, Point{area.X1, at(k) - high/2})
	}
	wide := body.W() / float64(len(r.Columns))
	for i, c := range r.Columns {
		x0 := body.X0 + float64(i)*wide
		p.Text(Point{x0, body.Y1 + head/2}, c.Title, Style{Size: tickSize, Bold: true})
		room, most := 0.0, 0.0
		for k, v := range c.Values {
			room = max(room, p.Width(c.Words[k], label))
			if !math.IsNaN(v) {
				most = max(most, v)
			}
		}
		length := max(wide-room-14, 4)
		for k, v := range c.Values {
			end := x0
			if !math.IsNaN(v) {
				if most > 0 {
					end += length * max(v, 0) / most
				}
				box := Rect{x0, at(k) - 0.32*high, max(end, x0+0.6), at(k) + 0.32*high} // a zero still shows
				p.Fill(tint(colorOf(c.Color), 0.75), box.corners()...)
				end += 3
			}
			p.Text(Point{end, at(k)}, c.Words[k], label)
		}
	}
}

// Heat is a square of shares between 0 and 1: Below the diagonal and Above it one quantity each.
type Heat struct {
	Title        string
	Labels       []string
	Below, Above [][]float64
}

// Draw draws the square as large as fits into an area of the page, its rows named at the left and its columns by their numbers.
func (h Heat) Draw(p *Page, area Rect) {
	n := len(h.Labels)
	if n == 0 {
		return
	}
	label := Style{Size: tickSize}
	names := 0.0
	for _, l := range h.Labels {
		names = max(names, p.Width("00 "+l, label))
	}
	const head = 36
	side := min((area.W()-names-8)/float64(n), (area.H()-head)/float64(n))
	x0, y1 := area.X0+names+8, area.Y1-head
	p.Text(Point{area.X0, area.Y1 - 8}, h.Title, Style{Size: tickSize, Bold: true})
	for i, l := range h.Labels {
		y := y1 - (float64(i)+0.5)*side
		p.Text(Point{area.X0, y}, number(float64(i+1))+" "+l, label)
		p.Text(Point{x0 + (float64(i)+0.5)*side, y1 + 8}, number(float64(i+1)), Style{Size: tickSize, Align: Center})
		for j := range n {
			box := Rect{x0 + float64(j)*side, y - side/2, x0 + float64(j+1)*side, y + side/2}
			if i == j {
				p.Outline(light, 0.4, box.corners()...)
				continue
			}
			v := h.Above[i][j]
			if i > j {
				v = h.Below[i][j]
			}
			p.Fill(tint(colorOf(1), v), box.corners()...)
			p.Outline(light, 0.4, box.corners()...)
			ink := color.Color(black)
			if v > 0.6 {
				ink = white
			}
			if side > 14 {
				p.Text(Point{(box.X0 + box.X1) / 2, y}, number(math.Round(100*v)), Style{Size: min(tickSize, side/2.4), Color: ink, Align: Center})
			}
		}
	}
}
