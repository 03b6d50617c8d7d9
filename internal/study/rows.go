package study

import (
	"context"
	"io"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
)

// learnRows learns from the rows of a table, as the command does: columns are taken as what their values tell, and the model may
// follow from that. targets is the column that says what an experiment set in a row, or "".
func learnRows(ctx context.Context, t *dataset.Table, targets string, cfg polydag.Config, observe polydag.Observer) (*polydag.Result, error) {
	prepare := polydag.DefaultPreparation()
	prepare.Targets, prepare.Exclude = targets, false // the graph is compared over all columns
	table, err := polydag.Prepare(ctx, tableInput{t}, prepare)
	if err != nil {
		return nil, err
	}
	return table.Learn(ctx, cfg, polydag.Run{Observe: observe})
}

// tableInput is a table in memory as an input.
type tableInput struct{ *dataset.Table }

func (t tableInput) Describe() (name, format string, bytes int64) { return "", "", 0 }
func (t tableInput) Saved() (*dataset.Moments, *dataset.Profile)  { return nil, nil }
func (t tableInput) SHA256(context.Context) (string, error)       { return "", nil }
func (t tableInput) Source(context.Context) (dataset.Source, error) {
	return &tableSource{t: t.Table}, nil
}

// tableSource hands out the rows of a table.
type tableSource struct {
	t      *dataset.Table
	chosen []int // nil before Select
	next   int
}

func (s *tableSource) columns() []int {
	if s.chosen == nil {
		s.chosen = make([]int, len(s.t.Names))
		for j := range s.chosen {
			s.chosen[j] = j
		}
	}
	return s.chosen
}

func (s *tableSource) Columns() []dataset.Column {
	var out []dataset.Column
	for _, j := range s.columns() {
		out = append(out, dataset.Column{Name: s.t.Names[j]})
	}
	return out
}

func (s *tableSource) Select(columns []int) error {
	s.chosen = append([]int{}, columns...)
	return nil
}

func (s *tableSource) Next(ctx context.Context, b *dataset.Batch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.Reset()
	for ; s.next < s.t.Rows.Rows && b.Rows < 1024; s.next++ {
		row := s.t.Rows.Row(s.next)
		for _, j := range s.columns() {
			b.Values = append(b.Values, row[j])
		}
		b.Rows++
	}
	if b.Rows == 0 {
		return io.EOF
	}
	return nil
}

func (s *tableSource) Close() error { return nil }

// every takes the rows first, first + step, … of a table.
func every(t *dataset.Table, first, step int) *dataset.Table {
	n := (t.Rows.Rows - first + step - 1) / step
	out := &dataset.Table{Names: t.Names, Rows: matrix.New[float64](n, t.Rows.Cols)}
	for i := range n {
		copy(out.Rows.Row(i), t.Rows.Row(first+i*step))
	}
	return out
}
