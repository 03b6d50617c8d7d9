package dataset

import (
	"context"
	"slices"
)

// A RowBatch is a number of whole rows of a table, all of them numbers: categories are codes, and NaN is a missing value.
type RowBatch struct {
	Values       []float64 // row after row
	Environments []int     // environment of each row; nil for a single environment
	Groups       []uint64  // label of the group of each row; nil unless groups were asked for
}

// Rows is a pass over the rows of a table: each call starts at the first row and calls each with one batch after the other. An error of
// each ends the pass and is returned. each must neither change nor keep a batch. A nil Rows means that the rows cannot be read.
type Rows func(ctx context.Context, each func(RowBatch) error) error

// batchRows is the number of rows in a batch of rows in memory.
const batchRows = 1024

// Rows returns a pass over rows in memory, which it does not copy.
func (b RowBatch) Rows(columns int) Rows {
	return func(ctx context.Context, each func(RowBatch) error) error {
		for from, n := 0, len(b.Values)/max(columns, 1); from < n; from += batchRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			to := min(from+batchRows, n)
			part := RowBatch{Values: b.Values[from*columns : to*columns]}
			if b.Environments != nil {
				part.Environments = b.Environments[from:to]
			}
			if b.Groups != nil {
				part.Groups = b.Groups[from:to]
			}
			if err := each(part); err != nil {
				return err
			}
		}
		return nil
	}
}

// Read returns all rows as one batch. values is the expected number of values.
func (r Rows) Read(ctx context.Context, values int) (RowBatch, error) {
	all := RowBatch{Values: make([]float64, 0, values)}
	err := r(ctx, func(b RowBatch) error {
		all.Values = append(all.Values, b.Values...)
		all.Environments = append(all.Environments, b.Environments...)
		all.Groups = append(all.Groups, b.Groups...)
		return nil
	})
	return all, err
}

// Arranged returns the rows with column order[i] in place i; nil for nil.
func (r Rows) Arranged(order []int) Rows {
	if r == nil {
		return nil
	}
	return func(ctx context.Context, each func(RowBatch) error) error {
		var arranged []float64
		return r(ctx, func(b RowBatch) error {
			arranged = slices.Grow(arranged[:0], len(b.Values))[:len(b.Values)]
			arrange(arranged, b.Values, order)
			b.Values = arranged
			return each(b)
		})
	}
}

// Pooled returns the rows without their environments; nil for nil.
func (r Rows) Pooled() Rows {
	if r == nil {
		return nil
	}
	return func(ctx context.Context, each func(RowBatch) error) error {
		return r(ctx, func(b RowBatch) error {
			b.Environments = nil
			return each(b)
		})
	}
}

// Arranged returns the sample with column order[i] in place i; nil for nil.
func (s *Sample) Arranged(order []int) *Sample {
	if s == nil {
		return nil
	}
	out := *s
	out.Columns, out.Values = len(order), make([]float64, len(s.Values))
	arrange(out.Values, s.Values, order)
	return &out
}

// arrange writes rows to out with column order[i] in place i.
func arrange(out, rows []float64, order []int) {
	for at := 0; at < len(rows); at += len(order) {
		for i, v := range order {
			out[at+i] = rows[at+v]
		}
	}
}
