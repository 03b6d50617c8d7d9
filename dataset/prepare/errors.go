package prepare

import (
	"errors"
	"fmt"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/names"
)

var count = names.Count

// These are errors of Gather beyond those of a table. Each is matched with errors.Is.
var (
	ErrUnknownColumn = fault.Kind("unknown-column", "no such column")
	ErrLevels        = fault.Kind("levels", "has too many categories for one column each; drop it or encode it as ordinal")
	ErrMixed         = fault.Kind("mixed", "is text in a numeric column; correct the cell, mark it as missing, or drop the column")
	ErrNotPositive   = fault.Kind("not-positive", "has no logarithm; shift the column so that all values are above 0, or do not take its logarithm")
	ErrTooFewCommon  = fault.Kind("too-few-common", "two columns have fewer than two complete rows in common; drop one of them")
	ErrEigenvalues   = fault.Kind("eigenvalues", "the eigenvalues of the pairwise correlations did not converge; handle missing values in another way")
	ErrAllMissing    = fault.Kind("all-missing", "has no values; drop it")
	ErrAllInfinite   = fault.Kind("all-infinite", "has no finite value; correct the cells, or drop it")
)

// A MissingError lists the columns with missing values. It matches ErrMissing.
type MissingError struct {
	File    string
	Rows    int // rows read
	Columns []MissingColumn
	// Left is the number of complete rows, or -1 if it was not counted.
	Left int
	// Auto reports that columns were already excluded to keep rows.
	Auto bool
}

// MissingColumn is the number of missing values of a column.
type MissingColumn struct {
	Name  string
	Count int
	First int // data row of the first missing value, from 1
}

// Unwrap returns the remedies as a *fault.Error that matches ErrMissing.
func (e *MissingError) Unwrap() error {
	drop := fault.Use("drop")
	if len(e.Columns) > 0 {
		drop = fault.Columns("drop", worstFirst(e.Columns)[0].Name)
	}
	switch {
	case e.Auto:
		return fault.New(dataset.ErrMissing, "", "leave such columns out (%s)", drop)
	case e.Left >= 0:
		return fault.New(dataset.ErrMissing, "", "use %s, which excludes the columns that are missing most, or leave such columns out (%s)", fault.Set("missing", "auto"), drop)
	}
	return fault.New(dataset.ErrMissing, "", "choose %s, drop or pairwise, or leave such columns out (%s)", fault.Set("missing", "auto"), drop)
}

// Error lists the ten columns with the most missing values and the remedies.
func (e *MissingError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	if e.Left >= 0 {
		fmt.Fprintf(&b, "%d of %s have no missing value, and at least 2 are needed; most are missing in ", e.Left, count(e.Rows, "row"))
	} else {
		fmt.Fprintf(&b, "missing values in %s: ", count(len(e.Columns), "column"))
	}
	var worst []string
	for _, c := range worstFirst(e.Columns) {
		worst = append(worst, fmt.Sprintf("%s %d (%s, first in row %d)", c.Name, c.Count, percent(c.Count, e.Rows), c.First))
	}
	b.WriteString(names.List(worst, 10))
	var out *fault.Error
	if errors.As(e.Unwrap(), &out) {
		b.WriteString("; " + out.Way)
	}
	return b.String()
}

// An InfiniteError is the error of a column whose values are all infinite, which only a lenient pass counts. It matches
// ErrAllInfinite. The *dataset.ParseError around it has the position of the first value.
type InfiniteError struct {
	Infinite int // values
	way      *fault.Error
}

// Error returns the error and the remedy.
func (e *InfiniteError) Error() string { return e.way.Error() }

// Unwrap returns the error with its remedy.
func (e *InfiniteError) Unwrap() error { return e.way }

// allInfinite returns an error for the first column whose values are all infinite, or nil.
func (e *encoder) allInfinite(read int) error {
	for j, s := range e.seen {
		if !e.lenient || s.infinite == 0 || s.infinite+s.missing.Count < read {
			continue
		}
		c := e.chosen[j]
		return &dataset.ParseError{File: e.file, Row: s.firstInf, Column: c.index + 1, Name: c.Name, Detail: fmt.Sprintf("%d infinite", s.infinite),
			Err: &InfiniteError{s.infinite, fault.New(ErrAllInfinite, "", "correct the cells, or leave it out with %s", fault.Columns("drop", c.Name))}}
	}
	return nil
}

// percent formats a share so that a positive one never reads 0 % and an incomplete one never 100 %.
func percent(part, whole int) string {
	p := 100 * float64(part) / float64(max(whole, 1))
	switch {
	case part > 0 && p < 0.1:
		return "under 0.1%"
	case part < whole && p > 99.9:
		return "over 99.9%"
	case p == float64(int(p)):
		return fmt.Sprintf("%d%%", int(p))
	}
	return fmt.Sprintf("%.1f%%", p)
}
