//go:build !js

package draw

import (
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/vg/vgimg"

	"github.com/polydag/polydag/internal/must"
)

// TestTextInAnImage checks that centered text has its middle at its place, and other text its start. A character is 0.6 em wide.
func TestTextInAnImage(t *testing.T) {
	fonts := must.Get(loadFonts("mono"))
	for center, want := range map[bool]float64{true: 100, false: 100 + 3*0.6*12} {
		img := vgimg.NewWith(vgimg.UseWH(200, 40), vgimg.UseDPI(72))
		c := penCanvas{&vgCanvas{c: img, k: 1, h: 40, fonts: fonts}}
		c.box(rect{0, 0, 200, 40}, 0, style{fill: color.NRGBA{255, 255, 255, 255}})
		c.text(line{at: point{X: 100, Y: 25}, text: "nnnnnn", size: 12, center: center, color: color.NRGBA{0, 0, 0, 255}})
		least, most := 200, 0
		for x := range 200 {
			for y := range 40 {
				if r, _, _, _ := img.Image().At(x, y).RGBA(); r < 0x8000 {
					least, most = min(least, x), max(most, x+1)
				}
			}
		}
		if got := float64(least+most) / 2; !(math.Abs(got-want) <= 3) {
			t.Errorf("centered %v: the text is at %d to %d, want its middle at %v", center, least, most, want)
		}
	}
}
