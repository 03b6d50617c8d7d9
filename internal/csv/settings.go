// Package csv reads tables of text: it finds out what separates fields, which sign starts decimals and what the header is, parses
// numbers on several threads, and says of each fault in which line it is.
package csv

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// Settings say how a table is written and how hard to work. Start from
// DefaultSettings.
type Settings struct {
	// File is the name that errors mention; it is not opened.
	File string
	// Delimiter separates fields: any ASCII byte that cannot be part of a number, a quote
	// or a line end. 0: find it, see Open.
	Delimiter byte
	// Decimal starts the fraction of a number: a point or a comma. 0: find it, see Open.
	Decimal byte
	// Blanks says that runs of spaces and tabs separate the fields; Delimiter is then not looked at.
	Blanks bool
	// NoHeader says that the first row is data; the columns are then x0, x1, …
	NoHeader bool
	// NA are words for a missing value, besides those that Open lists. One that is a
	// number, like -999, stands for every way to write it; others are matched exactly. COLUMN=WORD,WORD holds in one column. An
	// empty word says that none of the words that Open lists is missing: "" in every column, COLUMN= in one.
	NA []string
	// Encoding is utf-8, latin-1, windows-1252 or utf-16. auto, and nothing, finds it: UTF-16 by its byte order mark, and
	// windows-1252 where bytes are not valid UTF-8.
	Encoding string
	// DateOrder is dmy or mdy, for dates such as 01/02/2024; nothing finds it from all dates of a column.
	DateOrder string
	// Forms say of columns, by name, how their cells are written. A Survey finds them.
	Forms map[string]Form
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

// DefaultSettings returns: find delimiter and decimal sign, all processors, lines of at
// most 64 MiB and at most 20,000 columns (3.2 GB of moments).
func DefaultSettings() Settings {
	return Settings{Threads: runtime.GOMAXPROCS(0), MaxLine: 64 << 20, MaxColumns: 20_000}
}

// Validate reports every fault of the settings.
func (o Settings) Validate() error {
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
	if !slices.Contains(Encodings, o.Encoding) && o.Encoding != "" {
		errs = append(errs, fmt.Errorf("setting Encoding = %q, want one of %s", o.Encoding, strings.Join(Encodings, ", ")))
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
