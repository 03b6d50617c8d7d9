package dataset

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/polydag/polydag/matrix"
)

// A Table is named columns with all rows in memory, for callers that moments do not serve.
type Table struct {
	Names []string
	Rows  *matrix.Dense[float64] // n×d
}

// ReadCSVTable reads a table like ReadCSV and keeps its rows: 8·n·d bytes, twice that while
// it reads.
func ReadCSVTable(ctx context.Context, r io.Reader, opt CSVOptions) (*Table, error) {
	var runs [][]float64
	n := 0
	names, err := readNumbers(ctx, r, opt, func(_ []string, rows []float64) error {
		runs = append(runs, slices.Clone(rows))
		n += len(rows)
		return nil
	})
	if err != nil {
		return nil, err
	}
	x := matrix.New[float64](n/len(names), len(names))
	all := x.Data[:0]
	for _, run := range runs {
		all = append(all, run...)
	}
	return &Table{Names: names, Rows: x}, nil
}

// Moments summarizes the table, which it neither changes nor keeps.
func (t *Table) Moments(threads int) (*Moments, error) { return FromRows(t.Names, t.Rows, threads) }

// Column returns a copy of the column with the given name.
func (t *Table) Column(name string) ([]float64, error) {
	j := slices.Index(t.Names, name)
	if j < 0 {
		return nil, fmt.Errorf("dataset: no column %q; the table has %q", name, t.Names)
	}
	out := make([]float64, t.Rows.Rows)
	for i := range out {
		out[i] = t.Rows.At(i, j)
	}
	return out, nil
}
