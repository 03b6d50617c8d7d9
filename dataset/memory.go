package dataset

import (
	"context"
	"fmt"
	"io"
	"math"
)

// A MemoryColumn is a named column in memory. It has either Numbers or Text.
type MemoryColumn struct {
	Name    string
	Numbers []float64 // NaN is a missing value
	Text    []string  // categories; "" is a missing value
}

func (c MemoryColumn) len() int { return max(len(c.Numbers), len(c.Text)) }

// Memory is a table in memory, an input for polydag.Prepare.
type Memory []MemoryColumn

// MemoryRows returns the columns of rows[i][j], the value of column names[j] in row i. It copies the rows.
func MemoryRows(names []string, rows [][]float64) (Memory, error) {
	columns := make(Memory, len(names))
	values := make([]float64, len(names)*len(rows))
	for j, name := range names {
		columns[j] = MemoryColumn{Name: name, Numbers: values[j*len(rows) : (j+1)*len(rows)]}
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
func (c Memory) Describe() (name, format string, bytes int64) { return "memory", "memory", 0 }

// Saved returns nil, because the rows are available.
func (c Memory) Saved() (*Moments, *Profile) { return nil, nil }

// SHA256 returns "", because there is no file.
func (c Memory) SHA256(context.Context) (string, error) { return "", nil }

// Source returns the rows. It returns an error if there are none, if columns have different lengths, or if a column has both
// Numbers and Text.
func (c Memory) Source(context.Context) (Source, error) {
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
	return s, CheckNames(names, "")
}

type memorySource struct {
	columns Memory
	chosen  []int
	next    int // next row
}

func (s *memorySource) Columns() []Column {
	out := make([]Column, len(s.chosen))
	for k, j := range s.chosen {
		if out[k].Name = s.columns[j].Name; len(s.columns[j].Text) > 0 {
			out[k].Kind = Text
		}
	}
	return out
}

func (s *memorySource) Select(columns []int) error {
	s.chosen = append([]int{}, columns...)
	return nil
}

func (s *memorySource) Next(ctx context.Context, b *Batch) error {
	const most = 1024 // rows per batch
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
