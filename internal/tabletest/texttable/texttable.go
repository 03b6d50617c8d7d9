// Package texttable has tables as text, for tests of what reads rows as the command does.
package texttable

import (
	"context"
	"strconv"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/csv"
	"github.com/polydag/polydag/matrix"
)

// Table is the text of a CSV file: an input of polydag.Prepare.
type Table string

// Describe calls it t.csv.
func (t Table) Describe() (name, format string, bytes int64) { return "t.csv", "csv", int64(len(t)) }

// Saved returns nothing: there are rows.
func (t Table) Saved() (*dataset.Moments, *dataset.Profile) { return nil, nil }

// SHA256 returns nothing.
func (t Table) SHA256(context.Context) (string, error) { return "", nil }

// Source reads the rows.
func (t Table) Source(context.Context) (dataset.Source, error) {
	return csv.Open(strings.NewReader(string(t)), csv.DefaultSettings())
}

// Of writes rows as text. A column that has levels, by their number in levels, is written as words: l0, l1, …; levels may be nil.
func Of(names []string, levels []int, x *matrix.Dense[float64]) Table {
	b := []byte(strings.Join(names, ",") + "\n")
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if j > 0 {
				b = append(b, ',')
			}
			if levels != nil && levels[j] > 0 {
				b = append(b, "l"+strconv.Itoa(int(v))...)
			} else {
				b = strconv.AppendFloat(b, v, 'g', -1, 64)
			}
		}
		b = append(b, '\n')
	}
	return Table(b)
}
