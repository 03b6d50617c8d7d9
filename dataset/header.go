package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A header is what a text table says before its rows.
type header struct {
	names        []string
	delim, point byte // as given, or sniffed where they were 0
	lines        int  // line ends before the header
	after        int  // line ends passed from its start on
}

// maxHeader bounds the columns of a table, and with it the memory that names take: a file
// on its side is refused before it fills the memory.
const maxHeader = 1 << 20

// bom is the byte order mark that some programs put at the start of UTF-8.
const bom = "\ufeff"

// readHeader takes the first record of src as the names of the columns. What the options
// leave open is sniffed from the first run, or from as much as has a row. The error is a
// *ParseError.
func readHeader(src *runReader, opt CSVOptions) (*header, error) {
	h := &header{delim: opt.Delimiter, point: opt.Decimal}
	run, fault := h.firstRun(src)
	if fault != nil {
		fault.File = opt.File
		return nil, fault
	}
	if h.delim == 0 {
		h.delim = sniffDelimiter(run, h.point)
	}
	if h.point == 0 {
		if h.point = sniffDecimal(run, h.delim); h.point == 0 {
			return nil, &ParseError{File: opt.File, Err: ErrDecimal}
		}
	}
	pos, fault := h.read(run)
	if fault != nil {
		fault.File, fault.Line = opt.File, h.lines+1
		return nil, fault
	}
	h.after += bytes.Count(run[:pos], newline)
	src.giveBack(run[pos:])
	return h, nil
}

// firstRun returns the start of src from the header on: one run, or more where one does not
// reach past the header. It passes a byte order mark and blank lines.
func (h *header) firstRun(src *runReader) ([]byte, *ParseError) {
	head, err := src.peek()
	if err != nil {
		return nil, &ParseError{Line: 1, Err: err}
	}
	if what := notText(head); what != "" {
		return nil, &ParseError{Detail: what, Err: ErrNotTable}
	}
	if len(head) >= src.size && bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		return nil, &ParseError{Line: 1, Detail: onlyCR, Err: ErrNotTable}
	}
	run, err := src.next(nil)
	run, h.lines = skipBlankLines(bytes.TrimPrefix(run, []byte(bom)))
	for len(run) == 0 && err == nil {
		var n int
		run, err = src.next(run)
		run, n = skipBlankLines(run)
		h.lines += n
	}
	for enough := twoRecords(run); !enough && err == nil; {
		var more []byte
		var n int
		more, err = src.next(nil)
		more, n = skipBlankLines(more)
		h.after += n
		run = append(run, more...)
		enough = len(more) > 0
	}
	switch {
	case len(run) > 0: // the error, if it is one, comes with the rows
		return run, nil
	case err == io.EOF:
		return nil, &ParseError{Err: ErrEmpty}
	case errors.Is(err, ErrLineTooLong):
		return nil, &ParseError{Line: h.lines + 1, Detail: fmt.Sprintf("limit %d bytes", src.maxLine), Err: err}
	}
	return nil, &ParseError{Line: h.lines + 1, Err: err}
}

const onlyCR = "lines end in CR alone, as on old Macs"

// unnamed is what a first column without a name is called.
const unnamed = "unnamed"

// read takes the names from the record at the start of run and returns the position after
// it.
func (h *header) read(run []byte) (pos int, fault *ParseError) {
	for last := false; !last; {
		var field []byte
		var ok bool
		quoted, column := run[pos] == '"', len(h.names)+1
		field, pos, last, ok = cutField(run, pos, h.delim)
		switch {
		case !ok:
			return pos, &ParseError{Column: column, Value: shown(field), Err: ErrQuote}
		case !utf8.Valid(field):
			return pos, &ParseError{Column: column, Detail: "the name is not UTF-8", Err: ErrNotTable}
		case !quoted && bytes.IndexByte(field, '\r') >= 0:
			return pos, &ParseError{Column: column, Detail: onlyCR, Err: ErrNotTable}
		case column > maxHeader:
			return pos, &ParseError{Detail: fmt.Sprintf("more than %d", maxHeader), Err: ErrTooWide}
		}
		h.names = append(h.names, fieldText(field, quoted))
	}
	if len(h.names) > 1 && h.names[0] == "" {
		h.names[0] = unnamed // where pandas and R write the row names
	}
	if err := checkNames(h.names, ""); err != nil {
		return pos, err.(*ParseError)
	}
	if len(h.names) == 1 {
		detail := ""
		if k := strings.IndexAny(h.names[0], ",;\t|"); k >= 0 {
			detail = fmt.Sprintf("the header holds %q, the delimiter is %q", h.names[0][k], h.delim)
		}
		return pos, &ParseError{Detail: detail, Err: ErrOneColumn}
	}
	return pos, nil
}

// checkNames returns a *ParseError for the first name that is empty or taken.
func checkNames(names []string, file string) error {
	seen := make(map[string]int, len(names))
	for j, name := range names {
		if name == "" {
			return &ParseError{File: file, Column: j + 1, Err: ErrNoName}
		}
		if k, ok := seen[name]; ok {
			return &ParseError{File: file, Column: j + 1, Name: name, Detail: fmt.Sprintf("column %d has it", k+1), Err: ErrSameName}
		}
		seen[name] = j
	}
	return nil
}

// notText says what the first bytes of a file are if they are not a text table, else "".
func notText(head []byte) string {
	for _, f := range []struct{ magic, what string }{
		{"\x1f\x8b", "gzip data (unpack it first)"},
		{"PK\x03\x04", "a zip or a spreadsheet"},
		{"\xff\xfe", "UTF-16 text"},
		{"\xfe\xff", "UTF-16 text"},
	} {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.what
		}
	}
	k := bytes.IndexByte(head, 0)
	switch {
	case k < 0:
		return ""
	case bytes.HasPrefix(head, []byte("PAR1")):
		return "a Parquet file"
	case k < 2 && len(head) > 3 && head[k+2] == 0 && head[1-k] != 0 && head[3-k] != 0:
		return "UTF-16 text without a byte order mark"
	}
	return fmt.Sprintf("binary data, byte %d is NUL", k+1)
}
