//go:build !js

package commands

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/lab/heldout"
	"github.com/polydag/polydag/lab/study/figure"
)

// figureFormats are the file extensions for --set figure.
var figureFormats = []string{"svg", "png", "pdf"}

func figureFormat(path string) (string, error) {
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if path != "" && !slices.Contains(figureFormats, format) {
		return "", command.Usagef("--set figure=%s: want a name that ends in .%s", path, strings.Join(figureFormats, " or ."))
	}
	return format, nil
}

// writeFigure writes a drawn page in one of the figureFormats.
func writeFigure(page *figure.Page, format string, w io.Writer) error {
	switch format {
	case "pdf":
		return page.WritePDF(w)
	case "png":
		return page.Write(io.Discard, w)
	}
	return page.Write(w, io.Discard)
}

// drawPath draws a path as four charts over the penalty: the edges, the score, the held-out deficit and the
// agreement of halves. A line marks the recommended penalty.
func drawPath(p *heldout.Path, format string, w io.Writer) error {
	pick := func(label string, color int, of func(heldout.Point) (v, e *float64)) figure.Series {
		s := figure.Series{Label: label, Color: color, Points: true}
		for _, at := range p.Points {
			v, e := of(at)
			if v == nil {
				continue
			}
			half := 0.0
			if e != nil {
				half = *e
			}
			s.X, s.Y, s.Err = append(s.X, *at.Value), append(s.Y, *v), append(s.Err, half)
		}
		return s
	}
	charts := []struct {
		label  string
		series []figure.Series
	}{
		{"edges", []figure.Series{pick("edges of the whole table", 1, func(at heldout.Point) (*float64, *float64) { v := float64(at.Edges); return &v, nil })}},
		{"score", []figure.Series{pick("score of the whole table", 2, func(at heldout.Point) (*float64, *float64) { return &at.Score, nil })}},
		{"bits a row behind the best", []figure.Series{pick("held out, ± one standard error", 3, func(at heldout.Point) (*float64, *float64) { return at.Behind, at.Error })}},
		{"agreement of halves", []figure.Series{
			pick("adjacency", 4, func(at heldout.Point) (*float64, *float64) { return at.Adjacency, nil }),
			pick("direction", 5, func(at heldout.Point) (*float64, *float64) { return at.Direction, nil }),
		}},
	}
	page := figure.NewPage(190, 150)
	area := page.Area()
	across, up := area.W()/2, area.H()/2
	for i, c := range charts {
		y := figure.Axis{Label: c.label}
		y.Min, y.Max = ends(c.series, c.label != "score")
		if p.Recommended != nil {
			at := *p.Recommended
			c.series = append(c.series, figure.Series{Label: "recommended", Color: 0, Dash: figure.Dashed, X: []float64{at, at}, Y: []float64{y.Min, y.Max}})
		}
		x0, y0 := area.X0+float64(i%2)*across, area.Y0+float64(1-i/2)*up
		chart := figure.Lines{X: priceAxis(p), Y: y, Panels: []figure.Panel{{Series: c.series}}}
		chart.Draw(page, figure.Rect{X0: x0, Y0: y0, X1: x0 + across, Y1: y0 + up})
	}
	return writeFigure(page, format, w)
}

// priceAxis returns the axis of the penalty, logarithmic if the values span a factor of three and none is 0.
func priceAxis(p *heldout.Path) figure.Axis {
	low, high := *p.Points[0].Value, *p.Points[len(p.Points)-1].Value
	axis := figure.Axis{Label: p.Setting, Log: low > 0 && high > 3*low}
	if !axis.Log {
		axis.Min, axis.Max = low, low+1.04*(high-low)
		if high == low {
			axis.Max = low + 1
		}
	}
	return axis
}

// ends returns the ends of an axis for all figures, including 0 if fromZero.
func ends(series []figure.Series, fromZero bool) (low, high float64) {
	first := true
	for _, s := range series {
		for i, y := range s.Y {
			if first {
				low, high, first = y, y, false
			}
			low, high = min(low, y), max(high, y+s.Err[i])
		}
	}
	if fromZero || first {
		low = 0
	}
	if high == low {
		high++
	}
	pad := 0.06 * (high - low)
	if !fromZero {
		low -= pad
	}
	return low, high + pad
}
