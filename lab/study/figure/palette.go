package figure

import (
	"image/color"
	"math"
)

var (
	black = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	gray  = color.NRGBA{0x70, 0x70, 0x70, 0xff}
	light = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
	white = color.NRGBA{0xff, 0xff, 0xff, 0xff}
)

// palette has the colours of Okabe and Ito (2008), the darkest first; yellow is left out as too pale for lines.
var palette = []color.NRGBA{
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0xcc, 0x79, 0xa7, 0xff}, // purple
	{0x00, 0x9e, 0x73, 0xff}, // green
	{0x55, 0x55, 0x55, 0xff}, // gray
}

func colorOf(i int) color.NRGBA { return palette[i%len(palette)] }

// tint mixes a colour with white; share 1 is the colour.
func tint(c color.NRGBA, share float64) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(math.Round(255 - share*(255-float64(v)))) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xff}
}

// marker draws the i-th shape about a point; hollow ones are filled white.
func (p *Page) marker(i int, at Point, r float64, c color.Color, hollow bool) {
	var pts []Point
	polygon := func(n int, turn float64) {
		for k := range n {
			s, cos := math.Sincos(turn + 2*math.Pi*float64(k)/float64(n))
			pts = append(pts, Point{at.X + r*cos, at.Y + r*s})
		}
	}
	switch i % 5 {
	case 0:
		polygon(24, 0)
	case 1:
		polygon(4, math.Pi/4)
	case 2:
		polygon(3, math.Pi/2)
	case 3:
		polygon(4, 0)
	default:
		polygon(3, -math.Pi/2)
	}
	if hollow {
		p.Fill(white, pts...)
	} else {
		p.Fill(c, pts...)
	}
	p.Outline(c, 0.9, pts...)
}
