package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
)

// CSVOptions say how a table is written and how hard to work. Start from
// DefaultCSVOptions.
type CSVOptions struct {
	// File is the name that errors mention; it is not opened.
	File string
	// Delimiter separates fields: any ASCII byte that cannot be part of a number, a quote
	// or a line end. 0: find it, see OpenCSV.
	Delimiter byte
	// Decimal starts the fraction of a number: a point or a comma. 0: find it, see OpenCSV.
	Decimal byte
	// Blanks says that runs of spaces and tabs separate the fields; Delimiter is then not looked at.
	Blanks bool
	// NoHeader says that the first row is data; the columns are then x0, x1, …
	NoHeader bool
	// NA are words for a missing value, besides those that OpenCSV lists. One that is a
	// number, like -999, stands for every way to write it; others are matched exactly.
	NA []string
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

// DefaultCSVOptions returns: find delimiter and decimal sign, all processors, lines of at
// most 64 MiB and at most 20,000 columns (3.2 GB of moments).
func DefaultCSVOptions() CSVOptions {
	return CSVOptions{Threads: runtime.GOMAXPROCS(0), MaxLine: 64 << 20, MaxColumns: 20_000}
}

// Validate reports every fault of the options.
func (o CSVOptions) Validate() error {
	var errs []error
	switch c := o.Delimiter; {
	case c == 0, c == '\t', c >= ' ' && c < 0x7f && c != '"' && c != '+' && c != '-' && c != '.' && !alphanumeric(c):
	default:
		errs = append(errs, fmt.Errorf("dataset: Delimiter = %q, want a tab or an ASCII sign that no number contains, or 0 to find it", c))
	}
	switch o.Decimal {
	case 0, '.', ',':
	default:
		errs = append(errs, fmt.Errorf("dataset: Decimal = %q, want a point or a comma, or 0 to find it", o.Decimal))
	}
	if o.Decimal == ',' && o.Delimiter == ',' {
		errs = append(errs, errors.New("dataset: Decimal and Delimiter are both a comma; set one of them to another sign"))
	}
	if o.Threads < 1 {
		errs = append(errs, fmt.Errorf("dataset: Threads = %d, want at least 1", o.Threads))
	}
	if o.MaxLine < 1 {
		errs = append(errs, fmt.Errorf("dataset: MaxLine = %d, want at least 1", o.MaxLine))
	}
	if o.MaxColumns < 1 {
		errs = append(errs, fmt.Errorf("dataset: MaxColumns = %d, want at least 1", o.MaxColumns))
	}
	return errors.Join(errs...)
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// ReadCSV reads a table of numbers with a header line of column names and returns its
// moments. Memory is O(d²) and does not grow with the rows.
//
// The format is that of OpenCSV, but each field must be a finite number: missing values,
// infinities and text are errors. The first fault in the file ends the reading with a
// *ParseError; see the Err values for what is refused. Whether the columns are fit to learn
// from is for Moments.Validate to say.
//
// When ctx is done ReadCSV returns its error.
func ReadCSV(ctx context.Context, r io.Reader, opt CSVOptions) (*Moments, error) {
	var a *accumulator
	_, err := readNumbers(ctx, r, opt, func(names []string, rows []float64) error {
		if d := len(names); d > opt.MaxColumns {
			return &ParseError{Line: 1, Detail: fmt.Sprintf("%d, limit %d", d, opt.MaxColumns), Err: ErrTooWide}
		}
		if a == nil {
			a = newAccumulator(names, opt.Threads)
		}
		return a.add(rows)
	})
	if err != nil {
		return nil, inFile(err, opt.File)
	}
	m, err := a.finish()
	return m, inFile(err, opt.File)
}

// readNumbers calls sink with runs of whole rows in the order of the file, at least two rows
// in all; they are valid during the call only. It returns the names of the columns.
func readNumbers(ctx context.Context, r io.Reader, opt CSVOptions, sink func(names []string, rows []float64) error) ([]string, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	s, err := openCSV(newRunReader(fromUTF16(r), opt.MaxLine), opt, true)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	names := make([]string, len(s.columns))
	for j, c := range s.columns {
		names[j] = c.Name
	}
	var b Batch
	for {
		err := s.Next(ctx, &b)
		switch {
		case err == io.EOF && s.rows == 0:
			return nil, &ParseError{File: opt.File, Err: ErrNoRows}
		case err == io.EOF && s.rows == 1:
			return nil, &ParseError{File: opt.File, Err: ErrOneRow}
		case err == io.EOF:
			return names, nil
		case err != nil:
			return nil, err
		}
		if err := sink(names, b.Values); err != nil {
			return nil, err
		}
	}
}

// inFile adds the file's name to a fault that was found after the rows were parsed.
func inFile(err error, file string) error {
	var e *ParseError
	if errors.As(err, &e) && e.File == "" {
		e.File = file
	}
	return err
}
