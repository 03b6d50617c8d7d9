// Package scene draws small images whose attributes are known, to test what learns from pictures:
//
//	m := scene.Draw([]int{1, 0, 2}, 64, rand.New(rand.NewPCG(1, 2)))
//
// Each attribute has a cell of a grid. Category 0 leaves its cell empty, and the others draw a shape of their own color.
// Place, size and brightness of the shapes vary, shapes may be faint, and the pixels are noisy, so that a classifier makes errors.
package scene

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
)

// Draw returns a square image of the given side for the categories of the attributes. The same state of rng gives the
// same image.
func Draw(categories []int, side int, rng *rand.Rand) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	cells := int(math.Ceil(math.Sqrt(float64(len(categories)))))
	cell := float64(side) / float64(cells)
	sky := [3]float64{60 + 120*rng.Float64(), 60 + 120*rng.Float64(), 60 + 120*rng.Float64()}
	light := 60 * (rng.Float64() - 0.5) // from the top to the bottom
	pixels := make([][3]float64, side*side)
	for i := range pixels {
		for c := range 3 {
			pixels[i][c] = sky[c] + light*float64(i/side)/float64(side)
		}
	}
	for j, category := range categories {
		s := newShape(j, category, rng)
		s.x, s.y = (float64(j%cells)+s.x)*cell, (float64(j/cells)+s.y)*cell
		s.radius *= cell
		if category > 0 {
			s.paint(pixels, side)
		}
	}
	for i, p := range pixels {
		var v [3]uint8
		for c := range 3 {
			v[c] = uint8(min(max(p[c]+16*rng.NormFloat64(), 0), 255))
		}
		m.SetRGBA(i%side, i/side, color.RGBA{v[0], v[1], v[2], 255})
	}
	return m
}

// shape is a disc or a square.
type shape struct {
	x, y, radius, opacity float64
	color                 [3]float64
	square                bool
}

// newShape draws place, size and opacity. It takes the same random numbers for every category.
func newShape(j, category int, rng *rand.Rand) shape {
	s := shape{x: 0.5 + 0.16*(rng.Float64()-0.5), y: 0.5 + 0.16*(rng.Float64()-0.5), radius: 0.22 + 0.16*rng.Float64(), opacity: 0.35 + 0.65*rng.Float64()}
	s.square = (j+category)%2 == 0
	for c := range s.color {
		if (j+2*category)>>c&1 == 1 {
			s.color[c] = 255
		}
	}
	return s
}

// paint adds the shape to the pixels.
func (s shape) paint(pixels [][3]float64, side int) {
	for i := range pixels {
		dx, dy := math.Abs(float64(i%side)+0.5-s.x), math.Abs(float64(i/side)+0.5-s.y)
		if s.square && max(dx, dy) > s.radius || !s.square && dx*dx+dy*dy > s.radius*s.radius {
			continue
		}
		for c := range 3 {
			pixels[i][c] += s.opacity * (s.color[c] - pixels[i][c])
		}
	}
}
