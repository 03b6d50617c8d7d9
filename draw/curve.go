package draw

import (
	"math"
	"slices"

	"github.com/polydag/polydag/draw/internal/layout"
)

type point = layout.Point

// lineWidth grows with the size of an edge, and thus with its score gain.
func lineWidth(size, heaviest float64) float64 {
	if heaviest == 0 {
		return 1
	}
	return 0.5 + 3*size/heaviest
}

// plainWidth is the width of an undirected edge, which has no weight.
const plainWidth = 1.2

// dots returns the dash pattern of weak edges.
func dots(width float64) []float64 { return []float64{0.6 + 0.8*width, 1.6 + width} }

func headLength(width float64) float64 { return 4.6 + 1.25*width }

// circleRadius returns the radius of the circle mark at an end of an edge.
func circleRadius(width float64) float64 { return 1.9 + 0.5*width }

// circleAt returns the center of a circle that touches the end of a curve.
func circleAt(curve []point, width float64) point {
	back := cut(curve, circleRadius(width))
	return back[len(back)-1]
}

// between returns the part of a curve between its end marks.
func between(curve []point, mark string, width float64, hollow bool) []point {
	end := func(curve []point, mark byte) []point {
		switch mark {
		case '<', '>':
			return newArrow(curve, width, hollow).line
		case 'o':
			return cut(curve, 2*circleRadius(width))
		}
		return curve
	}
	return backwards(end(backwards(end(curve, mark[2])), mark[0]))
}

// backwards returns a reversed curve.
func backwards(curve []point) []point {
	out := slices.Clone(curve)
	slices.Reverse(out)
	return out
}

// arrow is a curve with its head. The tip is the end of the original curve, and the line ends inside the head.
type arrow struct {
	line []point  // cubic Bézier control points
	head [3]point // tip, left, right
}

func newArrow(curve []point, width float64, hollow bool) arrow {
	tip, l := curve[len(curve)-1], headLength(width)
	back := cut(curve, l)
	b := back[len(back)-1]
	var a arrow
	dx, dy := tip.X-b.X, tip.Y-b.Y
	if n := math.Hypot(dx, dy); n > 0 {
		dx, dy = dx/n, dy/n
	} else {
		dx, dy = 0, 1
	}
	half := 0.4 * l
	a.head = [3]point{tip, {X: tip.X - l*dx + half*dy, Y: tip.Y - l*dy - half*dx}, {X: tip.X - l*dx - half*dy, Y: tip.Y - l*dy + half*dx}}
	a.line = back
	if !hollow {
		a.line = cut(curve, 0.8*l) // avoids a gap between line and head
	}
	return a
}

// cut shortens a curve to end at distance r from its original end.
func cut(curve []point, r float64) []point {
	tip := curve[len(curve)-1]
	far := func(p point) bool { return math.Hypot(p.X-tip.X, p.Y-tip.Y) >= r }
	last := len(curve) - 4
	for last > 0 && !far(curve[last]) {
		last -= 3
	}
	lo, hi := 0.0, 1.0
	for range 40 {
		mid := (lo + hi) / 2
		if _, p := split(curve[last:last+4], mid); far(p) {
			lo = mid
		} else {
			hi = mid
		}
	}
	first, _ := split(curve[last:last+4], lo)
	return append(append([]point{}, curve[:last]...), first[:]...)
}

// split returns the part of a cubic curve up to t, and its last point (de Casteljau).
func split(c []point, t float64) ([4]point, point) {
	at := func(a, b point) point { return point{X: a.X + t*(b.X-a.X), Y: a.Y + t*(b.Y-a.Y)} }
	ab, bc, cd := at(c[0], c[1]), at(c[1], c[2]), at(c[2], c[3])
	abc, bcd := at(ab, bc), at(bc, cd)
	p := at(abc, bcd)
	return [4]point{c[0], ab, abc, p}, p
}

// shrink moves the sides of a triangle inward, towards the center of its inscribed circle.
func shrink(t [3]point, by float64) [3]point {
	side := func(a, b point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }
	a, b, c := side(t[1], t[2]), side(t[2], t[0]), side(t[0], t[1])
	sum := a + b + c
	m := point{X: (a*t[0].X + b*t[1].X + c*t[2].X) / sum, Y: (a*t[0].Y + b*t[1].Y + c*t[2].Y) / sum}
	area := math.Abs((t[1].X-t[0].X)*(t[2].Y-t[0].Y)-(t[2].X-t[0].X)*(t[1].Y-t[0].Y)) / 2
	k := max(1-by*sum/(2*area), 0)
	for i, q := range t {
		t[i] = point{X: m.X + k*(q.X-m.X), Y: m.Y + k*(q.Y-m.Y)}
	}
	return t
}
