package classify

import (
	"sync"

	"github.com/polydag/polydag/images/pictures"
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/parallel"
)

// thumbSide is the side of the thumbnails that near duplicates are found by, in pixels.
const thumbSide = 16

// thumbnail returns the colors of an image, scaled to a small square.
func thumbnail(photo pictures.Photo) []byte {
	s := DefaultSettings()
	s.Height, s.Width = thumbSide, thumbSide
	m := s.scaled(photo)
	out := make([]byte, 0, 3*thumbSide*thumbSide)
	for y := range thumbSide {
		for x := range thumbSide {
			at := y*m.Stride + 4*x
			out = append(out, m.Pix[at:at+3]...)
		}
	}
	return out
}

// groups numbers the images: near duplicates, and near duplicates of near duplicates, have the same number. Numbers are from 1 in the order
// of the images. Two images are near duplicates if the root mean square of the differences of their thumbnails is at most near, where 1 is
// white against black. It looks at pixels and not at what a model says, because a model has the same answer for many different images. The
// cost is n²·d for n thumbnails of d values. It returns nil if no two images are alike.
func groups(thumbs [][]byte, near float64, threads int) []int {
	n, d := len(thumbs), len(thumbs[0])
	unit, square := make([]float32, n*d), make([]float32, n)
	for i, t := range thumbs {
		for k, v := range t {
			x := float32(v)/255 - 0.5
			unit[i*d+k] = x
			square[i] += x * x
		}
	}
	most := float32(near*near*float64(d)) + 1e-3 // rounding of equal images
	above := newForest(n)
	var mu sync.Mutex
	const block = 256
	blocks := (n + block - 1) / block
	parallel.For(blocks, threads, func(b int) {
		first := b * block
		rows := min(block, n-first)
		product := make([]float32, rows*block)
		for start := first; start < n; start += block {
			columns := min(block, n-start)
			gemm.Gemm(false, true, rows, columns, d, 1, unit[first*d:], d, unit[start*d:], d, 0, product, columns, 1)
			for i := range rows {
				for j, p := range product[i*columns : (i+1)*columns] {
					if first+i < start+j && square[first+i]+square[start+j]-2*p <= most {
						mu.Lock()
						above.join(first+i, start+j)
						mu.Unlock()
					}
				}
			}
		}
	})
	out, numbers := make([]int, n), map[int]int{}
	for i := range out {
		root := above.root(i)
		if numbers[root] == 0 {
			numbers[root] = len(numbers) + 1
		}
		out[i] = numbers[root]
	}
	if len(numbers) == n {
		return nil
	}
	return out
}

// forest joins sets of numbers; each entry points towards the root of its set.
type forest []int

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = i
	}
	return f
}

func (f forest) root(i int) int {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

func (f forest) join(i, j int) {
	a, b := f.root(i), f.root(j)
	f[max(a, b)] = min(a, b)
}
