package resample

import (
	"context"
	"slices"
	"sync"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/splitmix"
	"github.com/polydag/polydag/internal/vec"
)

// Sizes of the blocks. With 1000 blocks the standard error of an interval's width is about 2 %.
const (
	drawnBlocks     = 1000
	leastBlockRows  = 10
	mostBlockValues = 1 << 25
)

// Blocked reports whether a table of n rows is large enough for samples of blocks, and has no groups.
func (r *Rows) Blocked(n int) bool {
	return r.Group == nil && n >= drawnBlocks*leastBlockRows && r.Columns*r.Columns <= mostBlockValues/drawnBlocks
}

// Sums are the blocks of a table, which the first sample reads. Several goroutines may use them.
type Sums struct {
	sync.Mutex
	blocks *Blocks
	first  Draw // of the sample of totals, together samples that one pass over the blocks has summed
	totals [][]float64
}

// together is the number of samples of a pass. The blocks of a wide table do not fit into the cache, so one pass a sample is much slower.
const together = 8

// Moments returns the moments of a bootstrap sample of the blocks of these rows, which have the moments all.
func (s *Sums) Moments(ctx context.Context, rows *Rows, all *dataset.Moments, d Draw) (*dataset.Moments, error) {
	s.Lock()
	if s.blocks == nil {
		blocks, err := NewBlocks(ctx, rows.Read, slices.Clone(all.Mean), drawnBlocks)
		if err != nil {
			s.Unlock()
			return nil, err
		}
		s.blocks = blocks
	}
	first := d
	first.Replicate -= d.Replicate % together
	if s.totals == nil || s.first != first {
		s.first, s.totals = first, s.blocks.totals(first, together)
	}
	total, blocks := s.totals[d.Replicate%together], s.blocks
	s.Unlock()
	n, mean, scatter := blocks.moments(total)
	return dataset.RestoreMoments(all.Names, n, mean, nil, scatter, nil, nil)
}

// Blocks has the sums of random blocks of rows. Bootstrap samples of the blocks have moments with the same distribution as those of the
// rows, apart from terms of the order 1/blocks, and cost no pass over the rows.
type Blocks struct {
	centre []float64
	// sums has for each block its number of rows, the sums of the columns, and the upper triangle of their products, row by row.
	sums [][]float64
}

// NewBlocks reads the rows once and adds each to one of count blocks at random. Columns are centred before they are multiplied. The slice
// centre belongs to the blocks.
func NewBlocks(ctx context.Context, rows dataset.Rows, centre []float64, count int) (*Blocks, error) {
	d := len(centre)
	b := &Blocks{centre: centre, sums: make([][]float64, count)}
	for k := range b.sums {
		b.sums[k] = make([]float64, 1+d+d*(d+1)/2)
	}
	x, row := make([]float64, d), uint64(0)
	err := rows(ctx, func(batch dataset.RowBatch) error {
		for values := batch.Values; len(values) > 0; values = values[d:] {
			sum := b.sums[splitmix.Mix(row)%uint64(count)]
			row++
			for j := range x {
				x[j] = values[j] - centre[j]
			}
			sum[0]++
			vec.Axpy(sum[1:1+d], 1, x)
			at := 1 + d
			for j, u := range x {
				vec.Axpy(sum[at:at+d-j], u, x[j:])
				at += d - j
			}
		}
		return ctx.Err()
	})
	return b, err
}

// Moments returns the rows, the means and the scatter of a bootstrap sample of the blocks.
func (b *Blocks) Moments(d Draw) (n int, mean, scatter []float64) {
	return b.moments(b.totals(d, 1)[0])
}

// totals returns the sums of the blocks in count bootstrap samples, from d on.
func (b *Blocks) totals(d Draw, count int) [][]float64 {
	all, streams := make([][]float64, count), make([]*Stream, count)
	for r := range all {
		all[r], streams[r] = make([]float64, len(b.sums[0])), d.Start([]int{len(b.sums)})
		d.Replicate++
	}
	for _, sum := range b.sums {
		for r, total := range all {
			if times := streams[r].Next(0); times > 0 {
				vec.Axpy(total, float64(times), sum)
			}
		}
	}
	return all
}

// moments returns the rows, the means and the scatter of these sums.
func (b *Blocks) moments(total []float64) (n int, mean, scatter []float64) {
	size := len(b.centre)
	mean, scatter = make([]float64, size), make([]float64, size*size)
	constant := make([]bool, size) // up to rounding
	at := 1 + size
	for i := range mean {
		mean[i] = b.centre[i] + total[1+i]/total[0]
		for j := i; j < size; j++ {
			s := total[at] - total[1+i]*total[1+j]/total[0]
			scatter[i*size+j], scatter[j*size+i] = s, s
			if i == j && s < leastSpread*total[at] {
				constant[i] = true
			}
			at++
		}
	}
	for i := range mean {
		for j := range mean {
			if constant[i] || constant[j] {
				scatter[i*size+j] = 0
			}
		}
	}
	return int(total[0]), mean, scatter
}

// leastSpread is the share of the squares of a column that its scatter must have.
const leastSpread = 1e-11
