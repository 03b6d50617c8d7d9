package kit

import (
	"context"
	"io"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// A method that needs rows gets those that the moments of the checks were made of. It is held to
// the same laws on them.

// prepared returns the table of data, with its rows where the method needs them.
func (c *methodCheck) prepared(ctx context.Context, data *dataset.Moments) (*polydag.Table, error) {
	x := c.rows[data]
	if c.fresh().Info().Needs != method.Rows || x == nil {
		return polydag.FromMoments(data), nil
	}
	p := polydag.DefaultPreparation()
	p.Exclude, p.Missing = false, "error" // the values are those of data
	return polydag.Prepare(context.WithoutCancel(ctx), rowsInput{data.Names, x}, p)
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

// rowsInput is a table in memory.
type rowsInput struct {
	names []string
	x     *matrix.Dense[float64]
}

func (r rowsInput) Describe() (name, format string, bytes int64) { return "rows", "memory", 0 }
func (r rowsInput) Saved() (*dataset.Moments, *dataset.Profile)  { return nil, nil }
func (r rowsInput) SHA256(context.Context) (string, error)       { return "", nil }
func (r rowsInput) Source(context.Context) (dataset.Source, error) {
	return &rowsSource{rowsInput: r}, nil
}

// rowsSource hands out all rows at once.
type rowsSource struct {
	rowsInput
	chosen []int
	done   bool
}

func (s *rowsSource) Columns() []dataset.Column {
	out := make([]dataset.Column, len(s.names))
	for j, n := range s.names {
		out[j] = dataset.Column{Name: n, Kind: dataset.Number}
	}
	if s.chosen == nil {
		return out
	}
	var some []dataset.Column
	for _, j := range s.chosen {
		some = append(some, out[j])
	}
	return some
}

func (s *rowsSource) Select(columns []int) error {
	s.chosen = columns
	return nil
}

func (s *rowsSource) Next(_ context.Context, b *dataset.Batch) error {
	if b.Reset(); s.done {
		return io.EOF
	}
	s.done, b.Rows = true, s.x.Rows
	for i := range s.x.Rows {
		row := s.x.Row(i)
		if s.chosen == nil {
			b.Values = append(b.Values, row...)
		}
		for _, j := range s.chosen {
			b.Values = append(b.Values, row[j])
		}
	}
	return nil
}

func (s *rowsSource) Close() error { return nil }
