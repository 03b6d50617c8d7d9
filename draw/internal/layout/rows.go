package layout

import "math"

// rows puts the isolated nodes below the drawing, in their order, from left to right.
func (d *Drawing) rows(g Graph, linked []bool, opt Settings) {
	var alone []int
	area, widest := 0.0, 0.0
	for i, n := range g.Nodes {
		if !linked[i] {
			alone = append(alone, i)
			area += (n.Width + opt.NodeGap) * (n.Height + opt.NodeGap)
			widest = max(widest, n.Width)
		}
	}
	if len(alone) == 0 {
		return
	}
	wide := opt.RowWidth
	if wide == 0 {
		wide = max(d.Width, math.Sqrt(2*area))
	}
	wide = max(wide, widest)
	top := 0.0
	if d.Height > 0 {
		top = d.Height + 2*opt.NodeGap
	}
	total := 0.0
	for len(alone) > 0 {
		n, used, high := 0, 0.0, 0.0
		for n < len(alone) {
			v := g.Nodes[alone[n]]
			if n > 0 && used+opt.NodeGap+v.Width > wide {
				break
			}
			if n > 0 {
				used += opt.NodeGap
			}
			used, high, n = used+v.Width, max(high, v.Height), n+1
		}
		x := 0.0
		for _, i := range alone[:n] {
			d.Nodes[i] = Point{x + g.Nodes[i].Width/2, top + high/2}
			x += g.Nodes[i].Width + opt.NodeGap
		}
		total = max(total, used)
		d.Height = top + high
		top += high + opt.NodeGap
		alone = alone[n:]
	}
	// Center the narrower of the two parts below the wider one.
	shift := (total - d.Width) / 2
	for i := range d.Nodes {
		if linked[i] {
			d.Nodes[i].X += max(shift, 0)
		} else {
			d.Nodes[i].X += max(-shift, 0)
		}
	}
	for k := range d.Edges {
		for j := range d.Edges[k] {
			d.Edges[k][j].X += max(shift, 0)
		}
		d.Labels[k].X += max(shift, 0)
	}
	d.Width = max(d.Width, total)
}
