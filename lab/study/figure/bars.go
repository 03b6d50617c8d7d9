package figure

import "math"

// Bars is a chart of grouped bars, panels side by side with one scale and one legend below.
type Bars struct {
	Panels []BarPanel
	Y      Axis     // Max is chosen automatically if it is 0
	Marks  []string // the meaning of the marks, in the order of Bar.Marks
	XLabel string
}

// BarPanel is one plotting area: groups of bars along x.
type BarPanel struct {
	Title  string
	Groups []string
	Series []BarSeries
}

// BarSeries is one bar in each group.
type BarSeries struct {
	Label string
	Color int
	Bars  []Bar // by group; absent ones have Value NaN
}

// A Bar has a height, half an error bar, and other values to mark; NaN means none.
type Bar struct {
	Value, Err float64
	// Most bounds the whisker of a quantity that cannot exceed it; 0 for none.
	Most  float64
	Marks []float64
}

func (b Bar) top() float64 {
	if b.Most > 0 {
		return min(b.Value+b.Err, b.Most)
	}
	return b.Value + b.Err
}

// Draw draws the chart into an area of the page.
func (b Bars) Draw(p *Page, area Rect) {
	if b.Y.Max == 0 {
		for _, panel := range b.Panels {
			for _, s := range panel.Series {
				for _, bar := range s.Bars {
					if !math.IsNaN(bar.Value) {
						b.Y.Max = max(b.Y.Max, bar.top())
					}
					for _, m := range bar.Marks {
						if !math.IsNaN(m) {
							b.Y.Max = max(b.Y.Max, m)
						}
					}
				}
			}
		}
		b.Y.Max *= 1.06
	}
	if b.Y.Max <= 0 {
		b.Y.Max = 1
	}
	var entries []entry
	for _, s := range b.Panels[0].Series {
		entries = append(entries, entry{s.Label, func(box Rect) {
			r := Rect{box.X0 + 3, box.Y0, box.X1 - 3, box.Y1}
			p.Fill(tint(colorOf(s.Color), 0.75), r.corners()...)
			p.Outline(colorOf(s.Color), 0.8, r.corners()...)
		}})
	}
	for i, m := range b.Marks {
		entries = append(entries, entry{m, func(box Rect) {
			p.marker(3-i, Point{(box.X0 + box.X1) / 2, (box.Y0 + box.Y1) / 2}, 3.2, black, i > 0)
		}})
	}
	height := p.legend(entries, area.X0, area.X1, 0, false)
	p.legend(entries, area.X0, area.X1, area.Y0+height, true)
	words := 20.0
	if b.XLabel != "" {
		words = 34
	}
	body := Rect{area.X0 + 42, area.Y0 + height + words, area.X1 - 4, area.Y1 - 18}
	w := (body.W() - gap*float64(len(b.Panels)-1)) / float64(len(b.Panels))
	for i, panel := range b.Panels {
		x := body.X0 + float64(i)*(w+gap)
		b.panel(p, panel, Rect{x, body.Y0, x + w, body.Y1}, i > 0)
	}
}

func (b Bars) panel(p *Page, panel BarPanel, r Rect, hideY bool) {
	n := len(panel.Groups)
	f := frame{r, Axis{Label: b.XLabel, Min: 0, Max: float64(n), At: []float64{}}, b.Y}
	p.drawFrame(f, panel.Title, hideY)
	for g, name := range panel.Groups {
		p.Text(Point{f.at(float64(g)+0.5, 0).X, f.Y0 - 10}, name, Style{Size: tickSize, Align: Center})
	}
	wide := 0.84 / float64(max(len(panel.Series), 1))
	for k, s := range panel.Series {
		c := colorOf(s.Color)
		for g, bar := range s.Bars {
			left := float64(g) + 0.08 + wide*float64(k)
			mid := f.at(left+wide/2, 0).X
			if !math.IsNaN(bar.Value) {
				a, z := f.at(left+0.06*wide, 0), f.at(left+0.94*wide, bar.Value)
				box := Rect{a.X, a.Y, z.X, max(z.Y, a.Y+0.6)} // a zero still shows
				p.Fill(tint(c, 0.75), box.corners()...)
				p.Outline(c, 0.8, box.corners()...)
				if bar.Err > 0 {
					low, high := f.at(0, max(bar.Value-bar.Err, 0)).Y, min(f.at(0, bar.top()).Y, f.Y1)
					p.Stroke(black, 0.8, nil, Point{mid, low}, Point{mid, high})
					for _, y := range []float64{low, high} {
						p.Stroke(black, 0.8, nil, Point{mid - 2, y}, Point{mid + 2, y})
					}
				}
			}
			for i, m := range bar.Marks {
				if !math.IsNaN(m) {
					at := f.at(left+wide*(0.28+0.44*float64(i)/float64(max(len(bar.Marks)-1, 1))), m) // side by side
					p.marker(3-i, at, 3.2, black, i > 0)
				}
			}
		}
	}
}
