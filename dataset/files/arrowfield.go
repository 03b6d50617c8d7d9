package files

import (
	"context"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
)

// An arFields source is an Arrow stream from a data frame in which the text of some columns is read as the fields of a text table:
// numbers, amounts, dates and words for missing values. Data frames of Python and R have such columns if a file was read as text, or
// if one of its cells is no number. Arrow files of other programs have text on purpose and are read as they are.
type arFields struct {
	dataset.Source
	read  *csv.Cells
	field []int // index of each column in the file, or -1 for a column that is read as it is
}

// withFields wraps a source if it has such columns.
func (s *arSource) withFields(forms map[string]csv.Form) (dataset.Source, error) {
	if !slices.ContainsFunc(s.fields, func(f arField) bool { return f.written }) {
		return s, nil
	}
	read, err := csv.NewCells(dataset.ColumnNames(s.columns), csv.Settings{CSVSettings: s.opt.CSV, Forms: forms})
	if err != nil {
		return nil, &dataset.ParseError{File: s.file, Err: err}
	}
	out := &arFields{Source: s, read: read, field: make([]int, len(s.fields))}
	for j, f := range s.fields {
		out.field[j] = -1
		if f.written {
			out.field[j], s.columns[j].Kind = j, dataset.Unknown
			switch {
			case read.Words(j):
				s.columns[j].Kind = dataset.Text
			case forms[f.name].Kind == csv.Date:
				s.columns[j].Kind = dataset.Time
			}
		}
		s.columns[j].Literal = read.Literal(j)
	}
	return out, nil
}

// selectFields selects only the columns that are read as fields.
func (s *arFields) selectFields() error {
	return s.Select(slices.DeleteFunc(slices.Clone(s.field), func(j int) bool { return j < 0 }))
}

func (s *arFields) Select(columns []int) error {
	if err := s.Source.Select(columns); err != nil {
		return err
	}
	field := make([]int, len(columns))
	for k, j := range columns {
		field[k] = s.field[j]
	}
	s.field = field
	return nil
}

func (s *arFields) Next(ctx context.Context, b *dataset.Batch) error {
	if err := s.Source.Next(ctx, b); err != nil {
		return err
	}
	b.Cells = slices.DeleteFunc(b.Cells, func(c dataset.Cell) bool {
		j := s.field[c.Column]
		if j < 0 {
			return false
		}
		x, isText := s.read.Field(j, string(b.Text[c.Start:c.End]))
		b.Values[c.Row*len(s.field)+c.Column] = x
		return !isText
	})
	return nil
}
