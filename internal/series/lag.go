package series

import (
	"context"
	"slices"
)

// Lagged calls each with rows of the values at a time t and at the lags steps before it: the columns of the table at t, then those at
// t-1, and so on. A row needs all its lags in one segment. f adjusts the values first; nil leaves them. whole omits rows with missing
// values. each must neither change nor keep its argument.
func (w *Walker) Lagged(ctx context.Context, lags int, f *Fitted, whole bool, each func(rows []float64) error) error {
	d := len(w.discrete)
	const batch = 1024 // rows per call
	width := d * (lags + 1)
	out := make([]float64, 0, batch*width)
	past := make([]float64, width) // the present values first
	before := make([]float64, d)   // the values before differences
	known := 0
	flush := func() error {
		if len(out) == 0 {
			return nil
		}
		err := each(out)
		out = out[:0]
		return err
	}
	err := w.Walk(ctx, func(at Point, row []float64) error {
		f.apply(at, row)
		if at.New {
			known = 0
		}
		if f != nil && f.Difference {
			for j, x := range row {
				if !f.skip[j] {
					row[j], before[j] = x-before[j], x
				}
			}
			if at.New {
				known = -1
			}
		}
		known++
		copy(past[d:], past[:width-d])
		copy(past, row)
		if known <= lags || whole && slices.ContainsFunc(past, func(x float64) bool { return x != x }) {
			return nil
		}
		if out = append(out, past...); len(out) == cap(out) {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}
