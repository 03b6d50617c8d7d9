package dataset

import (
	"fmt"
	"iter"
	"slices"

	"github.com/polydag/polydag/matrix"
)

// NamedRows is a numeric table with all rows in memory, for callers that need more than moments.
type NamedRows struct {
	Names []string
	Rows  *matrix.Dense[float64] // n×d
	// Images has the name of the image of each row, or is nil.
	Images []string
}

// Moments summarizes the table, which it neither changes nor retains.
func (t *NamedRows) Moments(threads int) (*Moments, error) {
	return MomentsOf(t.Names, t.Rows, threads)
}

// Column returns a copy of the column with the given name.
func (t *NamedRows) Column(name string) ([]float64, error) {
	j := slices.Index(t.Names, name)
	if j < 0 {
		return nil, fmt.Errorf("no column %q; the table has %q", name, t.Names)
	}
	out := make([]float64, t.Rows.Rows)
	for i := range out {
		out[i] = t.Rows.At(i, j)
	}
	return out, nil
}

// RowsOf iterates over the rows of x, which share memory with x.
func RowsOf(x *matrix.Dense[float64]) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		for i := range x.Rows {
			if !yield(x.Row(i)) {
				return
			}
		}
	}
}
