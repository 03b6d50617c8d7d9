package cli

import (
	"io"

	"github.com/polydag/polydag/internal/study/figure"
	"github.com/polydag/polydag/tune"
)

// figureFormats are the endings that --figure takes.
var figureFormats = []string{"svg", "png"}

// drawPath draws a path as three charts over the price: the edges, how far each price is behind the best on rows held out, and how far
// halves agree. The recommended price is a line through all of them.
func drawPath(p *tune.Path, format string, w io.Writer) error {
	var x, edges []float64
	for _, at := range p.Points {
		x, edges = append(x, *at.Value), append(edges, float64(at.Edges))
	}
	pick := func(label string, color int, of func(tune.Point) (*float64, *float64)) figure.Series {
		s := figure.Series{Label: label, Color: color, Points: true}
		for _, at := range p.Points {
			if v, e := of(at); v != nil {
				s.X, s.Y = append(s.X, *at.Value), append(s.Y, *v)
				half := 0.0
				if e != nil {
					half = *e
				}
				s.Err = append(s.Err, half)
			}
		}
		return s
	}
	charts := []struct {
		label  string
		series []figure.Series
		most   float64 // of the axis; 0 lets the figures decide
	}{
		{"edges", []figure.Series{{Label: "edges", Color: 0, Points: true, X: x, Y: edges}}, 0},
		{"bits a row behind the best", []figure.Series{pick("held out, ± one standard error", 1, func(at tune.Point) (*float64, *float64) { return at.Behind, at.Error })}, 0},
		{"agreement of halves", []figure.Series{
			pick("adjacency", 2, func(at tune.Point) (*float64, *float64) { return at.Adjacency, nil }),
			pick("direction", 3, func(at tune.Point) (*float64, *float64) { return at.Direction, nil }),
		}, 1.05},
	}
	page := figure.NewPage(240, 80)
	area := page.Area()
	wide := area.W() / float64(len(charts))
	for i, c := range charts {
		top := c.most
		if top == 0 {
			for _, s := range c.series {
				for k, y := range s.Y {
					if s.Err != nil {
						y += s.Err[k]
					}
					top = max(top, 1.06*y)
				}
			}
		}
		if top == 0 {
			top = 1
		}
		if p.Recommended != nil {
			at := *p.Recommended
			c.series = append(c.series, figure.Series{Label: "recommended", Color: 7, Dash: figure.Dashed, X: []float64{at, at}, Y: []float64{0, top}})
		}
		axis := figure.Axis{Label: p.Setting}
		if x[0] > 0 && x[len(x)-1] > 3*x[0] {
			axis.Log = true
		}
		figure.Lines{X: axis, Y: figure.Axis{Label: c.label, Max: top}, Panels: []figure.Panel{{Series: c.series}}}.Draw(page, figure.Rect{X0: area.X0 + float64(i)*wide, Y0: area.Y0, X1: area.X0 + float64(i+1)*wide, Y1: area.Y1})
	}
	if format == "png" {
		return page.Write(io.Discard, w)
	}
	return page.Write(w, io.Discard)
}
