package kit

import (
	"context"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// A method that needs rows gets those that the moments of the checks were made of. It is held to
// the same laws on them.

// prepared returns the table of data, with its rows where the method needs them.
func (c *methodCheck) prepared(data *dataset.Moments) (*polydag.Table, error) {
	x := c.rows[data]
	if c.fresh().Info().Needs != method.Rows || x == nil {
		return polydag.FromMoments(data), nil
	}
	p := polydag.DefaultPreparation()
	p.Exclude, p.Missing = false, "error" // the values are those of data
	columns, err := polydag.RowColumns(data.Names, slices.Collect(dataset.RowsOf(x)))
	if err != nil {
		return nil, err
	}
	return polydag.Prepare(context.Background(), columns, p)
}

// derived keeps the rows of moments that were made of others: column i is column order[i] times
// scale[i]. Either may be nil.
func (c *methodCheck) derived(m, from *dataset.Moments, order []int, scale []float64) {
	x := c.rows[from]
	if x == nil {
		return
	}
	out := matrix.New[float64](x.Rows, x.Cols)
	for i := range x.Rows {
		for j := range x.Cols {
			k, f := j, 1.0
			if order != nil {
				k = order[j]
			}
			if scale != nil {
				f = scale[j]
			}
			out.Set(i, j, f*x.At(i, k))
		}
	}
	c.rows[m] = out
}

// input is what a method gets of data.
func (c *methodCheck) input(data *dataset.Moments) *method.Input {
	in := &method.Input{Moments: copyOf(data), Seed: 1, Threads: 1}
	if x := c.rows[data]; x != nil && c.fresh().Info().Needs == method.Rows {
		in.Rows = func(_ context.Context, each func(rows []float64) error) error { return each(x.Data) }
	}
	return in
}
