package prepare

import (
	"context"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// Rows reads the rows of a table from the first one, several whole rows at a time, with the environment of each row (nil for a single
// environment). each must neither change nor keep its arguments.
type Rows func(ctx context.Context, each func(rows []float64, environments []int) error) error

// Arranged returns the rows with column order[i] in place i; nil for nil.
func (r Rows) Arranged(order []int) Rows {
	if r == nil {
		return nil
	}
	return func(ctx context.Context, each func([]float64, []int) error) error {
		var arranged []float64
		return r(ctx, func(rows []float64, environments []int) error {
			arranged = slices.Grow(arranged[:0], len(rows))[:len(rows)]
			arrange(arranged, rows, order)
			return each(arranged, environments)
		})
	}
}

// Plain returns the rows without their environments; nil for nil.
func (r Rows) Plain() func(ctx context.Context, each func(rows []float64) error) error {
	if r == nil {
		return nil
	}
	return func(ctx context.Context, each func([]float64) error) error {
		return r(ctx, func(rows []float64, _ []int) error { return each(rows) })
	}
}

// OneEnvironment returns rows as those of a single environment.
func OneEnvironment(rows func(ctx context.Context, each func(rows []float64) error) error) Rows {
	return func(ctx context.Context, each func([]float64, []int) error) error {
		return rows(ctx, func(rows []float64) error { return each(rows, nil) })
	}
}

// ArrangedSample returns the sample with column order[i] in place i; nil for nil.
func ArrangedSample(s *dataset.Sample, order []int) *dataset.Sample {
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
