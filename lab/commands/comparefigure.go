//go:build !js

package commands

import (
	"fmt"
	"io"
	"math"

	"github.com/polydag/polydag/lab/heldout"
	"github.com/polydag/polydag/lab/study/figure"
)

// drawComparison draws the figures of a comparison as bars, one row per method, and the agreement between
// methods.
func drawComparison(c *heldout.Comparison, format string, w io.Writer) error {
	entries := c.Graphs()
	rows := figure.Rows{}
	for _, e := range entries {
		rows.Labels = append(rows.Labels, e.Label)
	}
	column := func(title, words string, of func(*heldout.Entry) *float64) {
		col := figure.RowColumn{Title: title, Color: len(rows.Columns)}
		some := false
		for _, e := range entries {
			v := of(e)
			some = some || v != nil
			col.Words = append(col.Words, show(words, v))
			if v == nil {
				col.Values = append(col.Values, math.NaN())
			} else {
				col.Values = append(col.Values, *v)
			}
		}
		if some {
			rows.Columns = append(rows.Columns, col)
		}
	}
	column("edges", "%.0f", func(e *heldout.Entry) *float64 { v := float64(len(e.Edges)); return &v })
	column("score, bits behind", "%.4f", func(e *heldout.Entry) *float64 { return e.Behind })
	column("held out, bits behind", "%.4f", func(e *heldout.Entry) *float64 { return e.HeldOutBehind })
	column("F1", "%.3f", ofMetrics(func(m *heldout.Metrics) *float64 { return m.F1 }))
	column("skeleton F1", "%.3f", ofMetrics(func(m *heldout.Metrics) *float64 { return &m.SkeletonF1 }))
	column("seconds", "%.3g", func(e *heldout.Entry) *float64 { return &e.Seconds })

	// Sizes in millimetres: per row, and doubled if the agreement is drawn below.
	high := 16 + 5.5*float64(len(entries))
	total := high
	if c.Agreement != nil {
		total += high + 8
	}
	page := figure.NewPage(max(120, 45+30*float64(len(rows.Columns))), total)
	area := page.Area()
	top := area
	if c.Agreement != nil {
		top.Y0 += area.H() * (high + 8) / total
	}
	rows.Draw(page, top)
	if a := c.Agreement; a != nil {
		heat := figure.Heat{Title: fmt.Sprintf("Agreement of %d methods in %%: joined pairs below the diagonal, with the same marks above", len(a.Labels)), Labels: a.Labels, Below: a.Skeleton, Above: a.Marks}
		heat.Draw(page, figure.Rect{X0: area.X0, Y0: area.Y0, X1: area.X1, Y1: top.Y0 - 16})
	}
	return writeFigure(page, format, w)
}
