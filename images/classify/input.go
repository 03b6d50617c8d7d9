package classify

import (
	"image"

	"golang.org/x/image/draw"

	"github.com/polydag/polydag/images/pictures"
)

// input writes the values of an image that a model reads.
func (s *Settings) input(to []float32, photo pictures.Photo) {
	m := s.scaled(photo)
	var factor, shift [3]float32
	for c := range factor {
		factor[c], shift[c] = float32(s.Scale/s.Std[c]), float32(-s.Mean[c]/s.Std[c])
	}
	n := s.Height * s.Width
	for y := range s.Height {
		row := m.Pix[y*m.Stride : y*m.Stride+4*s.Width]
		for x := range s.Width {
			for c := range 3 {
				from := c
				if s.BGR {
					from = 2 - c
				}
				v := float32(row[4*x+from])*factor[c] + shift[c]
				if s.Layout == ChannelsLast {
					to[(y*s.Width+x)*3+c] = v
				} else {
					to[c*n+y*s.Width+x] = v
				}
			}
		}
	}
}

// scaled returns the image on white in the size of the input.
func (s *Settings) scaled(photo pictures.Photo) *image.RGBA {
	box := photo.Pixels.Bounds()
	from, width, height := box, s.Width, s.Height
	if s.Crop {
		w, h := photo.Size()
		from = photo.Stored(s.cut(w, h))
	}
	if photo.Turned() {
		width, height = height, width
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	draw.BiLinear.Scale(out, out.Rect, photo.Pixels, from, draw.Over, nil)
	return photo.Upright(out)
}

// cut returns the part in the middle of an image that becomes the input.
func (s *Settings) cut(w, h int) image.Rectangle {
	// One pixel of the input is step pixels of the image.
	step := min(float64(w)/float64(s.Width), float64(h)/float64(s.Height))
	if s.Short > 0 {
		step = min(step, float64(min(w, h))/float64(s.Short))
	}
	pw, ph := max(1, int(step*float64(s.Width)+0.5)), max(1, int(step*float64(s.Height)+0.5))
	x, y := (w-pw)/2, (h-ph)/2
	return image.Rect(x, y, x+pw, y+ph).Intersect(image.Rect(0, 0, w, h))
}
