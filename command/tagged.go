package command

import (
	"context"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
)

// tableColumn is the name of the column that tagged adds. It is not a likely name of a column.
const tableColumn = "(table)"

// tagged is an input of two files with a last column that is 0 in the rows of the first and 1 in those of the second.
type tagged struct {
	polydag.Input
	first string
}

// Source adds the column to the rows.
func (l tagged) Source(ctx context.Context) (dataset.Source, error) {
	src, err := l.Input.Source(ctx)
	if err != nil {
		return nil, err
	}
	return &taggedRows{Source: src, first: l.first, at: len(src.Columns())}, nil
}

// taggedRows are the rows of tagged.
type taggedRows struct {
	dataset.Source
	first string
	at    int // place of the column among the selected ones, -1 if it is not selected
	rows  int
	wide  []float64
}

func (l *taggedRows) Columns() []dataset.Column {
	own := slices.Clone(l.Source.Columns())
	if l.at < 0 {
		return own
	}
	return slices.Insert(own, l.at, dataset.Column{Name: tableColumn, Kind: dataset.Integer})
}

func (l *taggedRows) Select(columns []int) error {
	last := len(l.Source.Columns())
	l.at = slices.Index(columns, last)
	return l.Source.Select(slices.DeleteFunc(slices.Clone(columns), func(j int) bool { return j == last }))
}

func (l *taggedRows) Next(ctx context.Context, b *dataset.Batch) error {
	if err := l.Source.Next(ctx, b); err != nil || l.at < 0 {
		return err
	}
	l.rows += b.Rows // a batch has rows of one file
	label := 0.0
	if file, _ := l.Locate(l.rows); file != l.first {
		label = 1
	}
	d := len(b.Values) / b.Rows
	l.wide = l.wide[:0]
	for i := range b.Rows {
		row := b.Values[i*d : (i+1)*d]
		l.wide = append(append(append(l.wide, row[:l.at]...), label), row[l.at:]...)
	}
	b.Values, l.wide = l.wide, b.Values
	for k := range b.Cells {
		if b.Cells[k].Column >= l.at {
			b.Cells[k].Column++
		}
	}
	return nil
}

// Locate returns the file of a row.
func (l *taggedRows) Locate(row int) (file string, within int) {
	if in, ok := l.Source.(dataset.Locator); ok {
		return in.Locate(row)
	}
	return l.first, row
}

// Notes returns the remarks about the files.
func (l *taggedRows) Notes() []string {
	if in, ok := l.Source.(dataset.Noter); ok {
		return in.Notes()
	}
	return nil
}
