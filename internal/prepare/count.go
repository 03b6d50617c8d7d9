package prepare

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/dataset"
)

// counted is a source that has its rows joined already.
type counted interface{ Counts() *dataset.Counts }

// Count joins the equal rows of a table, of the columns and rows that opt chooses: values and words as they stand, missing ones too. What
// else opt says is about numbers and is left for whoever learns from the counts. It is one pass, in memory that grows with the different
// rows, at most opt.MaxMemory, beyond which the error matches dataset.ErrDistinct.
func Count(ctx context.Context, open func(context.Context) (dataset.Source, error), opt Settings) (*dataset.Counts, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	src, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	chosen, err := chooseColumns(src.Columns(), &opt)
	if err != nil {
		return nil, err
	}
	columns, index := make([]dataset.Column, len(chosen)), make([]int, len(chosen))
	for j, c := range chosen {
		columns[j], index[j] = c.Column, c.index
	}
	m := dataset.NewCountsMaker(columns, opt.MaxMemory)
	if c, ok := src.(counted); ok && opt.FirstRow == 0 && opt.LastRow == 0 {
		if err := m.Merge(c.Counts(), index); err != nil {
			return nil, err
		}
		return m.Counts(), nil
	}
	if err := selectColumns(src, chosen); err != nil {
		return nil, err
	}
	n, err := stream(ctx, src, len(chosen), &opt, func(v *view) error { return m.Add(v.values, v.cells, v.text) })
	if errors.Is(err, dataset.ErrDistinct) && opt.File != "" {
		err = fmt.Errorf("%s: %w", opt.File, err)
	}
	if err != nil {
		locate(err, src, opt.File)
		return nil, err
	}
	if n == 0 {
		return nil, tooFewRows(n, &opt)
	}
	return m.Counts(), nil
}
