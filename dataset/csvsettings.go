package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// CSVSettings describes the format of a text table. Start from files.DefaultCSVSettings.
type CSVSettings struct {
	// File is the name in error messages; it is not opened.
	File string
	// Delimiter separates fields: any ASCII byte that cannot be part of a number, a quote or a line end. 0 detects it.
	Delimiter byte
	// Decimal is the decimal separator: a point or a comma. 0 detects it.
	Decimal byte
	// Blanks separates fields by runs of spaces and tabs and ignores Delimiter.
	Blanks bool
	// NoHeader treats the first row as data; the columns are then named x0, x1, …
	NoHeader bool
	// NA are words for a missing value, besides an empty field, NA, N/A, #N/A, NaN and ? in any case, null and *
	// unless they are frequent in a column of words, and none, - and . in numeric columns. A number such as -999
	// matches every way to write it; other words are matched exactly. COLUMN=WORD,WORD applies to one column. An
	// empty word makes categories of the built-in words: "" in every column, COLUMN= in one.
	NA []string
	// Encoding is utf-8, latin-1, windows-1252 or utf-16. auto or "" detects it: UTF-16 by its byte order mark, and windows-1252 if
	// the bytes are not valid UTF-8.
	Encoding string
	// DateOrder is dmy or mdy, for dates such as 01/02/2024. "" detects it from all dates of a column.
	DateOrder string
	// Threads is the largest number of parsing goroutines. The result does not depend on it.
	Threads int
	// MaxLine limits the bytes of one line, and with it the memory.
	MaxLine int
	// MaxColumns limits the columns of moments, whose memory is 8·d² bytes.
	MaxColumns int
	// Progress, if not nil, is called from time to time with the bytes and data rows read so far, never from two goroutines at
	// once.
	Progress func(bytes int64, rows int)
}

// csvEncodings are the values of CSVSettings.Encoding.
var csvEncodings = []string{"auto", "utf-8", "latin-1", "windows-1252", "utf-16"}

func CSVEncodings() []string { return slices.Clone(csvEncodings) }

// Validate reports every error in the settings.
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
