package draw

import (
	"image/color"
	"math"
)

// A theme has the colors of a page. Blue and vermilion are from the palette of Okabe and Ito (2008), which is
// safe for color-blind readers; dark pages use lighter versions.
type theme struct {
	page, ink, dim     color.NRGBA
	box, line          color.NRGBA // color of a node
	positive, negative color.NRGBA
	unsigned           color.NRGBA // color of an effect without a sign: nominal columns, nonmonotone curves
	mark, markLine     color.NRGBA // color of a highlighted node
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

func themeOf(o Settings) theme {
	t := theme{page: rgb(0xffffff), ink: rgb(0x1d2126), dim: rgb(0x5b636c), box: rgb(0xf5f6f7), line: rgb(0x7d858e),
		positive: rgb(0x0072b2), negative: rgb(0xd55e00), unsigned: rgb(0x7a5195), mark: rgb(0xfff0b8), markLine: rgb(0x1d2126)}
	if o.Theme == "dark" {
		t = theme{page: rgb(0x14171b), ink: rgb(0xeceff2), dim: rgb(0xa9b1ba), box: rgb(0x242a31), line: rgb(0x8b949e),
			positive: rgb(0x56b4e9), negative: rgb(0xf0a020), unsigned: rgb(0xcc9ae0), mark: rgb(0x4a431f), markLine: rgb(0xeceff2)}
	}
	if o.Mono {
		t.positive, t.negative, t.unsigned = t.ink, t.ink, t.ink
		t.mark = mix(t.line, t.page, 0.3)
	}
	return t
}

func (t theme) sign(s int) color.NRGBA {
	switch {
	case s < 0:
		return t.negative
	case s > 0:
		return t.positive
	}
	return t.unsigned
}

// faded returns a color close to the page. Colors are solid, not transparent, so that crossings do not add up.
func (t theme) faded(c color.NRGBA) color.NRGBA { return mix(c, t.page, 0.25) }

// sure returns the color of an edge with a confidence; a lower confidence is closer to the page color.
func (t theme) confident(c color.NRGBA, confidence float64) color.NRGBA {
	return mix(c, t.page, 0.3+0.7*confidence)
}

// mix returns a mixture with the given share of c and the rest of d.
func mix(c, d color.NRGBA, share float64) color.NRGBA {
	part := func(a, b uint8) uint8 { return uint8(math.Round(share*float64(a) + (1-share)*float64(b))) }
	return color.NRGBA{part(c.R, d.R), part(c.G, d.G), part(c.B, d.B), 0xff}
}
