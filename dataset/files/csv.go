package files

import (
	"context"
	"io"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/csv"
)

// CSVSettings say how a text table is written. Start from DefaultCSVSettings.
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
	// NA are words for a missing value, besides an empty field, NA, N/A, #N/A, NaN, null, none and ? in any case, and *, - and . in numeric columns. One that is a
	// number, like -999, stands for every way to write it; others are matched exactly. COLUMN=WORD,WORD holds in one column. An
	// empty word says that none of the built-in words is missing: "" in every column, COLUMN= in one.
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

// Validate reports every fault of the settings.
func (s CSVSettings) Validate() error { return s.settings().Validate() }

// settings are those of the reader.
func (s CSVSettings) settings() csv.Settings {
	return csv.Settings{
		File: s.File, Delimiter: s.Delimiter, Decimal: s.Decimal, Blanks: s.Blanks, NoHeader: s.NoHeader, NA: s.NA, Encoding: s.Encoding, DateOrder: s.DateOrder,
		Threads: s.Threads, MaxLine: s.MaxLine, MaxColumns: s.MaxColumns, Progress: s.Progress,
	}
}

// DefaultCSVSettings returns: find delimiter and decimal sign, all processors, lines of at most 64 MiB and at most 20,000
// columns of moments (3.2 GB).
func DefaultCSVSettings() CSVSettings {
	d := csv.DefaultSettings()
	return CSVSettings{Threads: d.Threads, MaxLine: d.MaxLine, MaxColumns: d.MaxColumns}
}

// ReadCSV reads a text table of numbers from a stream and returns its moments, in memory that does not grow with the rows. Each
// field must be a finite number: missing values, infinities and text are errors. Tables that have them, and other formats, are
// for Open and polydag.Prepare.
func ReadCSV(ctx context.Context, r io.Reader, s CSVSettings) (*dataset.Moments, error) {
	return csv.Read(ctx, r, s.settings())
}
