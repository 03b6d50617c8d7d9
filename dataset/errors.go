package dataset

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/polydag/polydag/fault"
)

// Errors in tables, matched with errors.Is. The text is the problem, a semicolon, and the remedy.
var (
	ErrEmpty       = fault.Kind("empty", "the file is empty; it needs a header line with column names and at least three rows")
	ErrNoRows      = fault.Kind("no-rows", "the file has a header but no data; add at least three rows")
	ErrOneRow      = fault.Kind("one-row", "there is only one row of data; add rows, at least two are needed")
	ErrOneColumn   = fault.Kind("one-column", "there is only one column; add columns, a graph needs at least two, or set the delimiter")
	ErrTooWide     = fault.Kind("too-wide", "too many columns; check that rows are observations and columns variables, or choose some of them")
	ErrNotNumber   = fault.Kind("not-number", "is not a number; encode the column as numbers or drop it")
	ErrNotFinite   = fault.Kind("not-finite", "is not a finite number; drop the row or replace the value")
	ErrMissing     = fault.Kind("missing", "is a missing value; drop the row or fill in a number")
	ErrRagged      = fault.Kind("ragged", "wrong number of fields; give every row as many fields as the header")
	ErrQuote       = fault.Kind("quote", "has a misplaced quote; start and end a quoted field with \" and double each \" inside")
	ErrNoName      = fault.Kind("no-name", "the name is empty; give every column a name in the header")
	ErrSameName    = fault.Kind("same-name", "the name is taken; make the names distinct")
	ErrNotTable    = fault.Kind("not-table", "not a text table; export it as CSV in UTF-8")
	ErrLineTooLong = fault.Kind("line-too-long", "the line is too long; check the line ends and the quotes")
	ErrDecimal     = fault.Kind("decimal", "numbers such as 1.234 beside 567 are ambiguous: the point may be a decimal mark or a thousands separator; set the decimal mark")
	ErrOverflow    = fault.Kind("overflow", "the values are too large, their squares overflow; divide the column by a power of ten")
	ErrConstant    = fault.Kind("constant", "is in every row; drop the constant column")
)

// A ParseError locates an error in a table. Fields that do not apply are zero.
type ParseError struct {
	File   string // as given by the caller
	Line   int    // physical line, from 1, the header included
	Row    int    // data row, from 1; 0 in the header
	Column int    // from 1
	Name   string // name of the column
	Value  string // the field, shortened if long
	Detail string // more information, such as the number of fields found
	Err    error  // one of the Err values of this package, or the reader's error
}

// Error gives the place, the value and the remedy, for example
//
//	data.csv: line 18, row 17, column 3 (age): "n/a" is a missing value; drop the row or …
func (e *ParseError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	var at []string
	if e.Line > 0 {
		at = append(at, fmt.Sprintf("line %d", e.Line))
	}
	if e.Row > 0 {
		at = append(at, fmt.Sprintf("row %d", e.Row))
	}
	if e.Column > 0 {
		c := fmt.Sprintf("column %d", e.Column)
		if e.Name != "" {
			c += fmt.Sprintf(" (%s)", e.Name)
		}
		at = append(at, c)
	}
	if len(at) > 0 {
		b.WriteString(strings.Join(at, ", ") + ": ")
	}
	if e.Value != "" || e.Err == ErrMissing {
		fmt.Fprintf(&b, "%q ", e.Value)
	}
	fault, wayOut, ok := strings.Cut(e.Err.Error(), "; ")
	b.WriteString(fault)
	if e.Detail != "" {
		b.WriteString(" (" + e.Detail + ")")
	}
	if ok {
		b.WriteString("; " + wayOut)
	}
	return b.String()
}

func (e *ParseError) Unwrap() error { return e.Err }

// Excerpt shortens a field for an error message.
func Excerpt(field []byte) string {
	const most = 40
	if len(field) <= most {
		return string(field)
	}
	return strings.ToValidUTF8(string(field[:most]), "") + "…"
}

// FormatFloat returns the shortest text that reads back as v.
func FormatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// InFile adds the name of the file to a *ParseError that has none yet, and returns err.
func InFile(err error, file string) error {
	var e *ParseError
	if errors.As(err, &e) && e.File == "" {
		e.File = file
	}
	return err
}
