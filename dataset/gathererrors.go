package dataset

import (
	"errors"
	"fmt"
	"strings"
)

// What Gather refuses beyond the faults of a table. Each is matched with errors.Is.
var (
	ErrUnknownColumn = errors.New("no such column")
	ErrLevels        = errors.New("has too many levels for one column each; leave it out or encode it as ordinal")
	ErrMixed         = errors.New("is text among numbers; correct the cell, or mark it as missing with --na, or leave the column out")
	ErrNotPositive   = errors.New("has no logarithm; shift the column so that all values are above 0, or leave it out of the logarithm")
	ErrTooFewCommon  = errors.New("two columns have fewer than two rows in common; leave one of them out")
	ErrMemory        = errors.New("the rows do not fit the memory allowed; take fewer rows or columns")
	ErrAllMissing    = errors.New("has no value at all; leave it out")
)

// advice is a fault of this package with another way out.
type advice struct {
	err   error
	fault string // "" for that of err
	way   string
}

func (a *advice) Error() string {
	fault, _, _ := strings.Cut(a.err.Error(), "; ")
	if a.fault != "" {
		fault = a.fault
	}
	return fault + "; " + a.way
}

func (a *advice) Unwrap() error { return a.err }

// A MissingError lists the columns in which values are missing. It matches ErrMissing.
type MissingError struct {
	File    string
	Rows    int // read
	Columns []MissingColumn
	// Left is how many rows would remain without those that miss a value; -1 where that was not asked.
	Left int
}

// MissingColumn says how much of a column is missing.
type MissingColumn struct {
	Name  string
	Count int
	First int // data row of the first, from 1
}

// Is reports whether target is ErrMissing.
func (e *MissingError) Is(target error) bool { return target == ErrMissing }

// Error lists the ten worst columns and the ways out.
func (e *MissingError) Error() string {
	var b strings.Builder
	b.WriteString("dataset: ")
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	if e.Left >= 0 {
		fmt.Fprintf(&b, "of %s only %d without missing values, moments need at least two; missing most are ", count(e.Rows, "row"), e.Left)
	} else {
		fmt.Fprintf(&b, "missing values in %s: ", count(len(e.Columns), "column"))
	}
	worst := worstFirst(e.Columns)
	for i, c := range worst[:min(len(worst), 10)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %d (%s, first in row %d)", c.Name, c.Count, percent(c.Count, e.Rows), c.First)
	}
	if more := len(worst) - 10; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	if e.Left >= 0 {
		fmt.Fprintf(&b, "; leave such columns out (--drop %s) or use --missing mean or pairwise", quoteIfSpaced(worst[0].Name))
	} else {
		fmt.Fprintf(&b, "; choose --missing drop, mean or pairwise, or leave such columns out (--drop %s)", quoteIfSpaced(worst[0].Name))
	}
	return b.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// percent shows a share so that what is there never looks like nothing and what is less than all never like all.
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

func quoteIfSpaced(name string) string {
	if strings.ContainsAny(name, " \t\n'\"$*?\\;&|<>()") {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}
