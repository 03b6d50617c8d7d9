package network

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// Scale says in which units a network gets the columns.
type Scale string

// The units.
const (
	Unit Scale = "unit" // standard deviations: the answer does not depend on units
	Raw  Scale = "raw"  // as in the table, as the published programs take them
)

// keptValues is up to how many numbers rows are kept in memory instead of being read again for each
// pass: 32 MB.
const keptValues = 4 << 20

// Rows are rows of a table, centred and scaled, which are handed out in batches. A short table is
// kept; a long one is read anew for each pass, so that memory does not grow with the rows.
type Rows struct {
	N, D int

	in          *method.Input
	most        int // numbers that are kept, or shuffled together
	mean, scale []float64
	kept        []float64      // all rows of the table, scaled; nil where they are read each time
	own         func(int) bool // which rows of the table these are; nil means all
	batch       *matrix.Dense[float64]
	window      []float64 // rows that are shuffled together
}

// NewRows reads the table once, for its means and standard deviations, and a second time to keep it
// where it is short. The error is that of the context or of the source.
func NewRows(ctx context.Context, in *method.Input, scale Scale) (*Rows, error) {
	return newRows(ctx, in, scale, keptValues)
}

// newRows is NewRows that keeps or shuffles together at most so many numbers.
func newRows(ctx context.Context, in *method.Input, scale Scale, most int) (*Rows, error) {
	if in.Rows == nil {
		return nil, method.ErrNoRows
	}
	r := &Rows{in: in, D: len(in.Names()), most: most}
	r.mean, r.scale = make([]float64, r.D), make([]float64, r.D)
	err := in.Rows(ctx, func(rows []float64) error {
		for at := 0; at < len(rows); at += r.D {
			r.N++
			for j, v := range rows[at : at+r.D] { // Welford (1962)
				delta := v - r.mean[j]
				r.mean[j] += delta / float64(r.N)
				r.scale[j] += delta * (v - r.mean[j])
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	std := in.Moments.Std()
	for j, s := range r.scale {
		if !(s > 0) {
			return nil, fmt.Errorf("column %s does not vary in the %d rows; drop it", in.Names()[j], r.N)
		}
		r.scale[j] = math.Sqrt(float64(r.N) / s)
		if scale == Raw {
			r.scale[j] *= std[j] // 1, about, unless the moments are those of scaled columns
		}
	}
	if r.N*r.D <= most {
		kept := make([]float64, 0, r.N*r.D)
		if err := r.each(ctx, func(_ int, row []float64) error {
			kept = append(kept, row...)
			return nil
		}); err != nil {
			return nil, err
		}
		r.kept = kept
	}
	return r, nil
}

// Part returns the rows whose numbers in the table own takes, over the same memory. Both must not
// be used at the same time.
func (r *Rows) Part(own func(row int) bool) *Rows {
	part := &Rows{D: r.D, in: r.in, most: r.most, mean: r.mean, scale: r.scale, kept: r.kept, own: own}
	for i := range r.N {
		if own(i) {
			part.N++
		}
	}
	return part
}

// Kept returns all rows where they lie, nil where they are read for each pass, or are a part of those that are kept.
func (r *Rows) Kept() *matrix.Dense[float64] {
	if r.kept == nil || r.own != nil {
		return nil
	}
	return matrix.Of(r.N, r.D, r.kept)
}

// each calls use with every row, in the order of the table. The row is valid during the call only.
func (r *Rows) each(ctx context.Context, use func(i int, row []float64) error) error {
	if r.kept != nil {
		for i, at := 0, 0; at < len(r.kept); i, at = i+1, at+r.D {
			if i%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if r.own == nil || r.own(i) {
				if err := use(i, r.kept[at:at+r.D]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	i, row := 0, make([]float64, r.D)
	return r.in.Rows(ctx, func(rows []float64) error {
		for at := 0; at < len(rows); at += r.D {
			if r.own == nil || r.own(i) {
				for j, v := range rows[at : at+r.D] {
					row[j] = (v - r.mean[j]) * r.scale[j]
				}
				if err := use(i, row); err != nil {
					return err
				}
			}
			i++
		}
		return ctx.Err()
	})
}

// Each hands out all rows in the order of the table, size at a time and what is left at the end.
// use neither changes nor keeps a batch.
func (r *Rows) Each(ctx context.Context, size int, use func(batch *matrix.Dense[float64]) error) error {
	if r.kept != nil && r.own == nil { // where they lie
		if r.batch == nil {
			r.batch = &matrix.Dense[float64]{}
		}
		for at := 0; at < r.N; at += size {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(size, r.N-at)
			*r.batch = matrix.Dense[float64]{Rows: n, Cols: r.D, Stride: r.D, Data: r.kept[at*r.D : (at+n)*r.D]}
			if err := use(r.batch); err != nil {
				return err
			}
		}
		return nil
	}
	buffer := make([]float64, 0, size*r.D)
	hand := func() error {
		if len(buffer) == 0 {
			return nil
		}
		err := use(matrix.Of(len(buffer)/r.D, r.D, buffer))
		buffer = buffer[:0]
		return err
	}
	err := r.each(ctx, func(_ int, row []float64) error {
		if buffer = append(buffer, row...); len(buffer) == size*r.D {
			return hand()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return hand()
}

// Shuffled hands out batches of exactly size rows, in an order that depends on seed and pass: all
// rows but those that do not fill a batch. Of a long table rows are shuffled within windows as
// large as the tables that are kept. use neither changes nor keeps a batch.
func (r *Rows) Shuffled(ctx context.Context, seed uint64, pass, size int, use func(batch *matrix.Dense[float64]) error) error {
	rng := rand.New(rand.NewPCG(seed, 0x6e6574<<32+uint64(pass)))
	most := max(size, r.most/r.D) * r.D
	buffer := make([]float64, 0, size*r.D)
	r.window = r.window[:0]
	hand := func() error {
		rows := len(r.window) / r.D
		order := rng.Perm(rows)
		for ; len(order) >= size; order = order[size:] {
			buffer = buffer[:0]
			for _, k := range order[:size] {
				buffer = append(buffer, r.window[k*r.D:(k+1)*r.D]...)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := use(matrix.Of(size, r.D, buffer)); err != nil {
				return err
			}
		}
		buffer = buffer[:0]
		for _, k := range order { // go on with what is left
			buffer = append(buffer, r.window[k*r.D:(k+1)*r.D]...)
		}
		r.window = append(r.window[:0], buffer...)
		return nil
	}
	err := r.each(ctx, func(_ int, row []float64) error {
		if r.window = append(r.window, row...); len(r.window) >= most {
			return hand()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return hand()
}
