package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// CSVSettings says how a text table is written. Start from files.DefaultCSVSettings.
type CSVSettings struct {
	// File is the name that errors mention; it is not opened.
	File string
	// Delimiter separates fields: any ASCII byte that cannot be part of a number, a quote
	// or a line end. 0: detect it.
	Delimiter byte
	// Decimal starts the fraction of a number: a point or a comma. 0: detect it.
	Decimal byte
	// Blanks says that runs of spaces and tabs separate the fields; Delimiter is then not looked at.
	Blanks bool
	// NoHeader says that the first row is data; the columns are then x0, x1, …
	NoHeader bool
	// NA are words for a missing value, besides an empty field, NA, N/A, #N/A, NaN, null, none and ? in any case, and *, - and . in
	// numeric columns. A number such as -999 matches every way to write it; other words are matched exactly. COLUMN=WORD,WORD is
	// for one column. An empty word disables the built-in words: "" in every column, COLUMN= in one.
	NA []string
	// Encoding is utf-8, latin-1, windows-1252 or utf-16. auto, and nothing, detects it: UTF-16 by its byte order mark, and
	// windows-1252 where bytes are not valid UTF-8.
	Encoding string
	// DateOrder is dmy or mdy, for dates such as 01/02/2024; nothing detects it from all dates of a column.
	DateOrder string
	// Threads is the most goroutines that parse. The result does not depend on it.
	Threads int
	// MaxLine bounds the bytes of one line, and with it the memory.
	MaxLine int
	// MaxColumns bounds the columns of moments, whose memory is 8·d² bytes.
	MaxColumns int
	// Progress, if not nil, is called now and then, never from two goroutines at once,
	// with the bytes and data rows taken in so far.
	Progress func(bytes int64, rows int)
}

// csvEncodings are the values of CSVSettings.Encoding.
var csvEncodings = []string{"auto", "utf-8", "latin-1", "windows-1252", "utf-16"}

// CSVEncodings returns the values of CSVSettings.Encoding.
func CSVEncodings() []string { return slices.Clone(csvEncodings) }

// Validate reports every fault of the settings.
func (o CSVSettings) Validate() error {
	var errs []error
	switch c := o.Delimiter; {
	case c == 0, c == '\t', c >= ' ' && c < 0x7f && c != '"' && c != '+' && c != '-' && c != '.' && !alphanumeric(c):
	default:
		errs = append(errs, fmt.Errorf("setting Delimiter = %q, want a tab or an ASCII sign that no number contains, or 0 to find it", c))
	}
	switch o.Decimal {
	case 0, '.', ',':
	default:
		errs = append(errs, fmt.Errorf("setting Decimal = %q, want a point or a comma, or 0 to find it", o.Decimal))
	}
	if o.Decimal == ',' && o.Delimiter == ',' {
		errs = append(errs, errors.New("setting Decimal and Delimiter are both a comma; set one of them to another sign"))
	}
	if !slices.Contains(csvEncodings, o.Encoding) && o.Encoding != "" {
		errs = append(errs, fmt.Errorf("setting Encoding = %q, want one of %s", o.Encoding, strings.Join(csvEncodings, ", ")))
	}
	if o.DateOrder != "" && o.DateOrder != "dmy" && o.DateOrder != "mdy" {
		errs = append(errs, fmt.Errorf("setting DateOrder = %q, want dmy or mdy, or nothing to find it", o.DateOrder))
	}
	if o.Threads < 1 {
		errs = append(errs, fmt.Errorf("setting Threads = %d, want at least 1", o.Threads))
	}
	if o.MaxLine < 1 {
		errs = append(errs, fmt.Errorf("MaxLine = %d, want at least 1", o.MaxLine))
	}
	if o.MaxColumns < 1 {
		errs = append(errs, fmt.Errorf("MaxColumns = %d, want at least 1", o.MaxColumns))
	}
	return errors.Join(errs...)
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
