package prepare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// counted is a source whose equal rows are already aggregated.
type counted interface{ Counts() *dataset.Counts }

// Count aggregates the equal rows of a table for the chosen rows and columns. It keeps values, words and missing values unchanged
// and ignores the other settings, which apply when the counts are learned from. It takes one pass and memory proportional to the
// number of distinct rows, at most MaxMemory. Beyond that the error matches dataset.ErrDistinct.
func Count(ctx context.Context, open func(context.Context) (dataset.Source, error), set Settings) (*dataset.Counts, error) {
	opt := options{Settings: set}
	if err := Validate(opt.Settings); err != nil {
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
		if len(c.Counts().Times) == 0 {
			return nil, tooFewRows(0, &opt)
		}
		if err := m.Merge(c.Counts(), index); err != nil {
			return nil, inTable(err, &opt)
		}
		return m.Counts(), nil
	}
	if err := selectColumns(src, chosen); err != nil {
		return nil, err
	}
	n, err := stream(ctx, src, len(chosen), &opt, func(v *view) error {
		if err := storable(v, chosen, &opt); err != nil {
			return err
		}
		return m.Add(v.values, v.cells, v.text)
	})
	if err != nil {
		locate(err, src, opt.File)
		return nil, inTable(err, &opt)
	}
	if n == 0 {
		return nil, tooFewRows(n, &opt)
	}
	return m.Counts(), nil
}

// inTable adds the name of the table to the error of too many rows.
func inTable(err error, opt *options) error {
	if errors.Is(err, dataset.ErrDistinct) && opt.File != "" {
		return fmt.Errorf("%s: %w", opt.File, err)
	}
	return err
}

// storable rejects the first word that a file of counts cannot hold: bytes that are not UTF-8, or a zero at the end, which pads a
// text.
func storable(v *view, chosen []chosenColumn, opt *options) error {
	for _, c := range v.cells {
		if text := v.text[c.Start:c.End]; !utf8.Valid(text) || bytes.HasSuffix(text, []byte{0}) {
			at := chosen[c.Column]
			return &dataset.ParseError{File: opt.File, Line: c.Line, Row: v.first + c.Row + 1, Column: at.index + 1, Name: at.Name, Value: dataset.Excerpt(text),
				Err: fault.New(dataset.ErrNotTable, "is not text in UTF-8", "export the table in UTF-8, or leave the column out with %s", fault.Columns("drop", at.Name))}
		}
	}
	return nil
}
