package network

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// Scale is the unit in which a network gets the columns.
type Scale string

const (
	Unit Scale = "unit" // standard deviations, so that the answer does not depend on units
	Raw  Scale = "raw"  // as in the table, as in the published programs
)

// keptValues is the largest number of values for which rows stay in memory (32 MB). Longer tables are read
// again for each pass.
const keptValues = 4 << 20

// Rows are the centred and scaled rows of a table, in batches. A short table stays in memory. A long one is
// read again for each pass, so that memory does not grow with the rows.
type Rows struct {
	N, D int

	in          *method.Input
	most        int // values that stay in memory or are shuffled together
	mean, scale []float64
	kept        []float64      // all scaled rows of the table; nil if they are read each time
	own         func(int) bool // selects rows of the table; nil means all
	batch       *matrix.Dense[float64]
	window      []float64 // rows being shuffled together
}

// NewRows reads the table once for its means and standard deviations, and again to keep it in memory if it is
// short. Errors come from the context or the source.
func NewRows(ctx context.Context, in *method.Input, scale Scale) (*Rows, error) {
	return newRows(ctx, in, scale, keptValues)
}

// newRows is NewRows with a limit on the values in memory.
func newRows(ctx context.Context, in *method.Input, scale Scale, most int) (*Rows, error) {
	if in.Rows == nil {
		return nil, method.ErrNoRows
	}
	r := &Rows{in: in, D: len(in.Names()), most: most}
	r.mean, r.scale = make([]float64, r.D), make([]float64, r.D)
	err := in.Rows(ctx, func(b dataset.RowBatch) error {
		for at := 0; at < len(b.Values); at += r.D {
			r.N++
			for j, v := range b.Values[at : at+r.D] { // Welford (1962)
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
			r.scale[j] *= std[j] // about 1 unless the moments are those of scaled columns
		}
	}
	if r.N*r.D <= most {
		kept := make([]float64, 0, r.N*r.D)
		if err := r.each(ctx, func(row []float64) error {
			kept = append(kept, row...)
			return nil
		}); err != nil {
			return nil, err
		}
		r.kept = kept
	}
	return r, nil
}

// KeptRows returns the rows of x, neither centred nor scaled. They share memory with x.
func KeptRows(x *matrix.Dense[float64]) *Rows {
	return &Rows{N: x.Rows, D: x.Cols, most: len(x.Data), kept: x.Data}
}

// Part returns the rows whose indices own selects, sharing memory with r. The two must not be used at the same
// time.
func (r *Rows) Part(own func(row int) bool) *Rows {
	part := &Rows{D: r.D, in: r.in, most: r.most, mean: r.mean, scale: r.scale, kept: r.kept, own: own}
	for i := range r.N {
		if own(i) {
			part.N++
		}
	}
	return part
}

// Kept returns all rows without copying. It returns nil if they are not in memory or if r is a Part.
func (r *Rows) Kept() *matrix.Dense[float64] {
	if r.kept == nil || r.own != nil {
		return nil
	}
	return matrix.Of(r.N, r.D, r.kept)
}

// each calls use with every row in the order of the table. The row is valid only during the call.
func (r *Rows) each(ctx context.Context, use func(row []float64) error) error {
	if r.kept != nil {
		for i, at := 0, 0; at < len(r.kept); i, at = i+1, at+r.D {
			if i%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if r.own == nil || r.own(i) {
				if err := use(r.kept[at : at+r.D]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	i, row := 0, make([]float64, r.D)
	return r.in.Rows(ctx, func(b dataset.RowBatch) error {
		for at := 0; at < len(b.Values); at += r.D {
			if r.own == nil || r.own(i) {
				for j, v := range b.Values[at : at+r.D] {
					row[j] = (v - r.mean[j]) * r.scale[j]
				}
				if err := use(row); err != nil {
					return err
				}
			}
			i++
		}
		return ctx.Err()
	})
}

// Each passes all rows to use in the order of the table, size at a time; the last batch may be smaller. use
// neither changes nor retains a batch.
func (r *Rows) Each(ctx context.Context, size int, use func(batch *matrix.Dense[float64]) error) error {
	if r.kept != nil && r.own == nil { // without copying
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
	err := r.each(ctx, func(row []float64) error {
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

// Sample returns at most the given number of rows, spread over the table.
func (r *Rows) Sample(ctx context.Context, most int) (*matrix.Dense[float64], error) {
	m := min(r.N, most)
	out, next, seen := matrix.New[float64](m, r.D), 0, 0
	err := r.Each(ctx, 1024, func(batch *matrix.Dense[float64]) error {
		for ; next < m && next*r.N/m < seen+batch.Rows; next++ {
			copy(out.Row(next), batch.Row(next*r.N/m-seen))
		}
		seen += batch.Rows
		return nil
	})
	return out, err
}

// Shuffled passes batches of exactly size rows to use, in an order that depends on seed and pass. Rows that do
// not fill a batch are omitted. A long table is shuffled within windows of the size that fits in memory. use
// neither changes nor retains a batch.
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
		for _, k := range order { // continue with the remaining rows
			buffer = append(buffer, r.window[k*r.D:(k+1)*r.D]...)
		}
		r.window = append(r.window[:0], buffer...)
		return nil
	}
	err := r.each(ctx, func(row []float64) error {
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
