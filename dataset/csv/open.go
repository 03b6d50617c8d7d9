package csv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// Open reads the header of a text table from r and returns the table as a source. The caller closes the source,
// and r after it. Memory does not grow with the rows.
//
// The format is RFC 4180: fields may be quoted, lines end in LF, CRLF or, in the whole file, CR, the last line
// end is optional. A UTF-8 byte order mark, blank lines, and spaces and tabs around numbers and names are
// ignored. Delimiter and decimal mark are detected from the first 512 KiB if opt leaves them 0:
//
//   - The delimiter is the tab, semicolon, bar or comma that occurs in the header outside quotes and has the same
//     count in the largest number of rows; a tie goes to the first of these. If none occurs in the header, it is a
//     space or runs of spaces and tabs, if they split every row into the same number of fields.
//   - The decimal mark is a comma if the delimiter is not a comma, some numbers have a comma, and none has a point
//     or thousands separators. After a delimiter other than the semicolon, some number must also differ from one
//     with thousands separators. If the delimiter is a comma, quoted fields decide.
//
// Further detected properties are listed in the notes of the source: UTF-16 with a byte order mark; a first
// line such as sep=; of Excel; comment lines that begin with #, and a header in the last leading comment; row
// names without a header, as R's write.table writes them; a delimiter at the end of every row.
//
// Fields are converted as follows:
//
//   - A decimal number, with or without exponent, is rounded to the nearest float64. The words inf and infinity,
//     and numbers too large for float64, become an infinity.
//   - An empty field and the words of opt.NA are missing (NaN). So are NA, N/A, #N/A, NaN and ? in any case, unless they
//     are quoted or opt.NA defines them as words. So are null, none, *, - and . if a form defines them as markers;
//     otherwise they are text cells, because they may be categories.
//   - An integer above 2^53, which a float64 would round, is a text cell.
//   - opt.Forms defines the other cells of a column.
//   - Everything else is a text cell: true and false, hexadecimal, 1_000, 1,000. Its bytes are the field without
//     quotes, or without surrounding blanks; they need not be UTF-8.
//
// A wrong number of fields, misplaced quotes and NUL bytes end the table with a *ParseError, after the rows
// before it. A faulty header and a single column are errors of Open.
func Open(r io.Reader, opt Settings) (dataset.Source, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	text := newDecoder(r, opt.Encoding)
	s, err := openRecords(newRunReader(text, opt.MaxLine), opt, false)
	if err != nil {
		return nil, err
	}
	s.text = text
	return s, nil
}

// openRecords is Open for valid options. A strict source accepts only finite numbers; everything else is a
// *ParseError.
func openRecords(src *runReader, opt Settings, strict bool) (*source, error) {
	h, err := readHeader(src, opt)
	if err != nil {
		return nil, err
	}
	parser, err := newRowParser(h, opt, strict)
	if err != nil {
		return nil, err
	}
	s := &source{opt: opt, src: src, parser: parser, visible: h.visible, notes: h.notes, lines: h.lines + h.after}
	for k, name := range h.seen() {
		c := dataset.Column{Name: name, Literal: parser.missing[h.visible[k]].literal}
		switch opt.Forms[name].Kind {
		case Words:
			c.Kind = dataset.Text
		case Date:
			c.Kind = dataset.Time
		}
		s.columns = append(s.columns, c)
	}
	return s, nil
}

// A source is a text table as a dataset.Source. Its goroutines start with the first Next.
type source struct {
	opt         Settings
	src         *runReader
	parser      *rowParser
	columns     []dataset.Column
	visible     []int    // visible columns of the file
	notes       []string // detected properties of the file
	text        *decoder
	selected    bool
	scanner     *scanner // nil before the first Next
	rows, lines int      // returned so far
	err         error    // error of all further calls of Next
}

func (s *source) Columns() []dataset.Column { return s.columns }

// Select selects columns in any order, each at most once.
func (s *source) Select(columns []int) error {
	chosen, err := Choose(s.columns, columns, s.scanner != nil || s.selected)
	if err != nil {
		return err
	}
	s.columns, s.selected = chosen, true
	places := make([]int, len(columns))
	for k, j := range columns {
		places[k] = s.visible[j]
	}
	s.parser.choose(places)
	return nil
}

// Choose returns the columns with these indices, for the Select of a source. It is too late after Next and after a first Select.
func Choose(all []dataset.Column, indices []int, late bool) ([]dataset.Column, error) {
	if late {
		return nil, errors.New("Select after Next or a second time; open the table anew")
	}
	seen := make(map[int]bool, len(indices))
	chosen := make([]dataset.Column, 0, len(indices))
	for _, j := range indices {
		if j < 0 || j >= len(all) || seen[j] {
			return nil, fmt.Errorf("Select of columns %v of %d; give indices from 0, each once", indices, len(all))
		}
		seen[j] = true
		chosen = append(chosen, all[j])
	}
	return chosen, nil
}

// Notes implements Noter. The encoding may be known only after the last row.
func (s *source) Notes() []string {
	if s.text != nil {
		return append(slices.Clone(s.notes), s.text.notes()...)
	}
	return s.notes
}

// Decimal returns the decimal mark of a source that Open returned, or 0.
func Decimal(s dataset.Source) byte {
	if s, ok := s.(*source); ok {
		return s.parser.point
	}
	return 0
}

func (s *source) Next(ctx context.Context, b *dataset.Batch) error {
	if s.scanner == nil && s.err == nil {
		s.scanner = startScanner(s.src, s.parser, s.opt.Threads)
	}
	for s.err == nil {
		j, err := s.scanner.next(ctx)
		if err != nil {
			b.Reset()
			return fmt.Errorf("reading stopped after %d rows: %w", s.rows, err)
		}
		*b, j.batch = j.batch, *b
		b.Bytes = j.read
		for i := range b.Cells {
			b.Cells[i].Line += s.lines
		}
		if j.err != nil {
			s.err = s.place(j.err)
		}
		s.rows += b.Rows
		s.lines += j.lines
		s.scanner.free <- j
		if b.Rows > 0 {
			if s.opt.Progress != nil {
				s.opt.Progress(b.Bytes, s.rows)
			}
			return nil
		}
	}
	b.Reset()
	return s.err
}

// place converts the error that ended the table to the error of Next; io.EOF is unchanged. It adds the rows and
// lines before the run to the position of a fault.
func (s *source) place(err error) error {
	if err == io.EOF {
		return err
	}
	var e *dataset.ParseError
	if errors.As(err, &e) {
		e.Row += s.rows
		e.Line += s.lines
	} else {
		e = &dataset.ParseError{Row: s.rows + 1, Line: s.lines + 1, Err: err}
		if errors.Is(err, dataset.ErrLineTooLong) {
			e.Detail = fmt.Sprintf("limit %d bytes", s.opt.MaxLine)
		}
	}
	e.File = s.opt.File
	return e
}

// Close ends the goroutines of the source. It waits for a pending Read, so a reader that may block needs its
// own way to be interrupted.
func (s *source) Close() error {
	if s.scanner != nil {
		s.scanner.close()
		s.scanner = nil
	}
	s.err = errClosed
	return nil
}

var errClosed = errors.New("the source is closed")
