package figure

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
