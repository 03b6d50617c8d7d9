package polydag

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/prepare"
)

// An Input is a table to be read. files.Open makes one from a file of any format, and Columns is one in memory.
type Input interface {
	// Describe says what the input is: the name of the file, its format and its size.
	Describe() (name, format string, bytes int64)
	// Source opens the rows from the first one. It may be called again.
	Source(context.Context) (dataset.Source, error)
	// Saved returns moments that were saved instead of rows, or nil.
	Saved() (*dataset.Moments, *dataset.Profile)
	// SHA256 is the hash of the bytes, in hexadecimal digits, or nothing where they are gone. Where Describe knows the size it is
	// called while the rows are read.
	SHA256(context.Context) (string, error)
}

// FromRows prepares a table of numbers that a program holds in memory, with DefaultPreparation. rows[i][j] is the value of column
// names[j] in row i. FromRows copies the rows. Where values are missing (NaN), use RowColumns and Prepare with Preparation.Missing.
func FromRows(names []string, rows [][]float64) (*Table, error) {
	columns, err := RowColumns(names, rows)
	if err != nil {
		return nil, err
	}
	return FromColumns(columns...)
}

// FromColumns prepares a table of numeric and text columns in memory, with DefaultPreparation. It is Prepare of Columns, which
// takes other settings.
func FromColumns(columns ...Column) (*Table, error) {
	return Prepare(context.Background(), Columns(columns), DefaultPreparation())
}

// A Column is a named column in memory. It has either Numbers or Text. A table keeps the slices and reads them again while it learns:
// do not change them before that.
type Column struct {
	Name    string
	Numbers []float64 // NaN is a missing value
	Text    []string  // categories; "" is a missing value
}

// len is the number of rows.
func (c Column) len() int { return max(len(c.Numbers), len(c.Text)) }

// Columns is a table in memory. It is an Input of Prepare.
type Columns []Column

// RowColumns returns the columns of rows[i][j], the value of column names[j] in row i. It copies the rows.
func RowColumns(names []string, rows [][]float64) (Columns, error) {
	columns := make(Columns, len(names))
	values := make([]float64, len(names)*len(rows))
	for j, name := range names {
		columns[j] = Column{Name: name, Numbers: values[j*len(rows) : (j+1)*len(rows)]}
	}
	for i, row := range rows {
		if len(row) != len(names) {
			return nil, fmt.Errorf("row %d has %d values, want %d: one for each name", i+1, len(row), len(names))
		}
		for j, v := range row {
			columns[j].Numbers[i] = v
		}
	}
	return columns, nil
}

// Describe returns the name and format "memory".
func (c Columns) Describe() (name, format string, bytes int64) { return "memory", "memory", 0 }

// Saved returns nil: the rows are there.
func (c Columns) Saved() (*dataset.Moments, *dataset.Profile) { return nil, nil }

// SHA256 returns an empty string: there is no file.
func (c Columns) SHA256(context.Context) (string, error) { return "", nil }

// Source returns the rows. It is an error if there are none, if columns have different lengths, or if one has both Numbers and Text.
func (c Columns) Source(context.Context) (dataset.Source, error) {
	if len(c) == 0 || c[0].len() == 0 {
		return nil, fmt.Errorf("the table has %d columns and no rows; give at least 2 columns and 3 rows", len(c))
	}
	s := &memorySource{columns: c}
	names := make([]string, len(c))
	for j, column := range c {
		names[j], s.chosen = column.Name, append(s.chosen, j)
		switch {
		case len(column.Numbers) > 0 && len(column.Text) > 0:
			return nil, fmt.Errorf("column %d (%s) has both Numbers and Text; set one of them", j+1, column.Name)
		case column.len() != c[0].len():
			return nil, fmt.Errorf("column %d (%s) has %d values, column 1 (%s) has %d; give all columns the same length", j+1, column.Name, column.len(), c[0].Name, c[0].len())
		}
	}
	return s, dataset.CheckNames(names, "")
}

// memorySource hands out the rows of columns.
type memorySource struct {
	columns Columns
	chosen  []int
	next    int // row
}

func (s *memorySource) Columns() []dataset.Column {
	out := make([]dataset.Column, len(s.chosen))
	for k, j := range s.chosen {
		if out[k].Name = s.columns[j].Name; len(s.columns[j].Text) > 0 {
			out[k].Kind = dataset.Text
		}
	}
	return out
}

func (s *memorySource) Select(columns []int) error {
	s.chosen = append([]int{}, columns...)
	return nil
}

func (s *memorySource) Next(ctx context.Context, b *dataset.Batch) error {
	const most = 1024 // rows of a batch
	if err := ctx.Err(); err != nil {
		return err
	}
	b.Reset()
	for ; s.next < s.columns[0].len() && b.Rows < most; s.next++ {
		for k, j := range s.chosen {
			c := &s.columns[j]
			if len(c.Text) == 0 {
				b.Values = append(b.Values, c.Numbers[s.next])
				continue
			}
			b.Values = append(b.Values, math.NaN())
			if text := c.Text[s.next]; text != "" {
				b.AddText(b.Rows, k, 0, []byte(text))
			}
		}
		b.Rows++
	}
	if b.Rows == 0 {
		return io.EOF
	}
	return nil
}

func (s *memorySource) Close() error { return nil }

// Preparation says how a table is prepared. Start from DefaultPreparation.
type Preparation = dataset.Preparation

// DefaultPreparation takes text as categories, excludes columns that no graph can be learned from, drops rows with missing values
// and runs the data checks.
func DefaultPreparation() Preparation {
	p := prepare.DefaultSettings()
	p.Profile, p.Encode, p.Exclude, p.Missing = true, dataset.EncodeLevels, true, dataset.MissingAuto
	return p
}
