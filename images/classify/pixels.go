package classify

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/matrix"
)

// mostPixels is the largest number of values that Pixels reads (1 GiB).
const mostPixels = 1 << 27

// ErrPixels is matched by the error for more than mostPixels values.
var ErrPixels = errors.New("too many pixels")

// Pixels reads the images of a folder as rows of numbers 0–1, scaled to side × side pixels. Color images have three numbers per
// pixel, others the mean of red, green and blue. It returns the names of the images, sorted, without those that it skips.
func Pixels(ctx context.Context, folder *pictures.Folder, side int, color bool, threads int) (names []string, x *matrix.Dense[float64], skipped []Skipped, err error) {
	images := folder.Images()
	if len(images) == 0 {
		return nil, nil, nil, ErrNone
	}
	s := DefaultSettings()
	s.Height, s.Width, s.Layout = side, side, ChannelsLast
	width := side * side
	if color {
		width *= 3
	}
	if len(images) > mostPixels/width {
		return nil, nil, nil, fmt.Errorf("%w: %d images of %d numbers; use fewer or smaller images", ErrPixels, len(images), width)
	}
	x = matrix.New[float64](len(images), width)
	faults := make([]error, len(images))
	parallel.Each(ctx, len(images), threads, func(int) func(int) {
		values := make([]float32, 3*side*side)
		return func(i int) {
			faults[i] = folder.Decode(images[i], func(p pictures.Photo) error {
				s.input(values, p)
				return nil
			})
			for k := range x.Row(i) {
				if color {
					x.Set(i, k, float64(values[k]))
				} else {
					x.Set(i, k, float64(values[3*k]+values[3*k+1]+values[3*k+2])/3)
				}
			}
		}
	})
	if ctx.Err() != nil {
		return nil, nil, nil, context.Cause(ctx)
	}
	for i, name := range images {
		if faults[i] != nil {
			skipped = append(skipped, Skipped{name, faults[i]})
			continue
		}
		copy(x.Row(len(names)), x.Row(i))
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, nil, skipped, fmt.Errorf("%w that can be read; the first, %s: %v", ErrNone, images[0], faults[0])
	}
	return names, matrix.Of(len(names), width, x.Data[:len(names)*width]), skipped, nil
}
