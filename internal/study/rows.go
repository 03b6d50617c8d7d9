package study

import (
	"context"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
)

// learnRows learns from the rows of a table, as the command does. Column kinds follow from the values, and the
// model may follow from the kinds. targets is the column with the intervention targets of a row, or "".
func learnRows(ctx context.Context, t *dataset.NamedRows, targets string, cfg polydag.Config, observe polydag.Observer) (*polydag.Result, error) {
	prepare := polydag.DefaultPreparation()
	prepare.Targets, prepare.Exclude = targets, false // the graph is compared over all columns
	columns, err := polydag.RowColumns(t.Names, slices.Collect(dataset.RowsOf(t.Rows)))
	if err != nil {
		return nil, err
	}
	table, err := polydag.Prepare(ctx, columns, prepare)
	if err != nil {
		return nil, err
	}
	return table.Learn(ctx, cfg, polydag.Run{Observe: observe})
}

// every returns the rows first, first + step, … of a table.
func every(t *dataset.NamedRows, first, step int) *dataset.NamedRows {
	n := (t.Rows.Rows - first + step - 1) / step
	out := &dataset.NamedRows{Names: t.Names, Rows: matrix.New[float64](n, t.Rows.Cols)}
	for i := range n {
		copy(out.Rows.Row(i), t.Rows.Row(first+i*step))
	}
	return out
}
