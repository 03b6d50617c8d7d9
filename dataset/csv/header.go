package csv

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// A header describes a text table before its rows.
type header struct {
	names        []string // names of the columns of the file
	visible      []int    // columns of the table, without unnamed row names and without the empty column after a trailing delimiter
	delim, point byte     // as given, or detected if they were 0
	dialect      dialect
	notes        []string // detected deviations from plain CSV
	lines        int      // line ends before the header
	after        int      // line ends from its start on
}

// maxHeader limits the number of columns and thus the memory of names, so that a transposed file is refused.
const maxHeader = 1 << 20

// BOM is the UTF-8 byte order mark that some programs write.
const BOM = "\ufeff"

// readHeader reads the first record of src as the names of the columns. It detects what the options do not set
// from the first run, or from as much as contains a row. The error is a *ParseError.
func readHeader(src *runReader, opt Settings) (*header, error) {
	h := &header{delim: opt.Delimiter, point: opt.Decimal}
	h.dialect.blanks = opt.Blanks
	run, refusal := h.firstRun(src)
	if refusal != nil {
		refusal.File = opt.File
		return nil, refusal
	}
	run, comment := h.preamble(run)
	if comment == nil && !opt.NoHeader {
		run = run[h.title(run):]
	}
	if h.dialect.blanks {
		h.delim = ' '
	}
	if h.delim == 0 {
		h.delim, h.dialect.blanks = sniffDelimiter(run, h.point)
		if h.delim != ',' && h.delim != '\t' {
			h.note("Fields are separated by %s.", map[bool]string{true: "runs of spaces or tabs", false: delimiterName(h.delim)}[h.dialect.blanks])
		}
	}
	run = h.dialect.tidy(run)
	if h.point == 0 {
		var example string
		if h.point, example = sniffDecimal(run, h.delim); h.point == 0 {
			return nil, &dataset.ParseError{File: opt.File, Err: fault.New(dataset.ErrDecimal, "", "use %s or %s", fault.Set("decimal", "."), fault.Set("decimal", ","))}
		}
		if h.point == ',' {
			h.note("A comma is taken for the decimal sign, and a point for a sign between thousands, as in %q; %s says otherwise.", example, fault.Set("decimal", "."))
		}
	}
	pos, refusal := h.name(run, comment, opt.NoHeader)
	if refusal != nil {
		refusal.File, refusal.Line = opt.File, h.lines+1
		return nil, refusal
	}
	h.after += bytes.Count(run[:pos], newline)
	src.giveBack(run[pos:])
	return h, nil
}

func (h *header) note(format string, args ...any) {
	h.notes = append(h.notes, fmt.Sprintf(format, args...))
}

// preamble skips a line such as sep=; and leading comments. It returns the rest of run and the last comment.
func (h *header) preamble(run []byte) (rest, comment []byte) {
	if delim, n := separatorLine(run); n > 0 && n < len(run) {
		if h.delim == 0 && !h.dialect.blanks {
			h.delim = delim
			h.note("Fields are separated by %s, as the first line says.", delimiterName(delim))
		}
		run = run[n:]
		h.lines++
	}
	if lines, n := leadingComments(run); n > 0 {
		h.dialect.comment = true
		h.lines += bytes.Count(run[:n], newline)
		run, comment = run[n:], lines[len(lines)-1]
	}
	return run, comment
}

// name finds the names of the columns, in the first record unless there is no header, and returns the position
// after it. The rows may have one field more than the header and may end with a delimiter.
func (h *header) name(run, comment []byte, headerless bool) (pos int, refusal *dataset.ParseError) {
	all := takeCensus(run, h.delim, h.point)
	switch fromComment := commentNames(comment, h.delim, all); {
	case headerless:
		if all.fields < 0 {
			all.fields = takeCensus(run[:recordEnd(run)], h.delim, h.point).fields // the parser will name the faulty row
		}
		for j := range all.fields {
			h.names = append(h.names, fmt.Sprintf("x%d", j))
		}
		h.see(0, len(h.names), all.lastEmpty)
		return 0, h.check(headerless)
	case fromComment != nil:
		h.names = fromComment
		h.note("The comment %q is taken for the header.", dataset.Excerpt(comment))
		h.see(0, len(h.names), false)
		return 0, h.check(headerless)
	}
	if pos, refusal = h.read(run); refusal != nil {
		return pos, refusal
	}
	rows := takeCensus(run[pos:], h.delim, h.point)
	switch d := len(h.names); {
	case rows.rows > 1 && rows.fields == d+1 && rows.lastEmpty:
		h.names = append(h.names, "")
		h.see(0, d+1, true)
		h.note("Every row ends in a delimiter; the empty field after it is left out.")
	case rows.rows > 1 && rows.fields == d+1:
		h.names = append([]string{""}, h.names...)
		h.see(1, d+1, false)
		h.note("The rows have one field more than the header, as where R writes row names: their first field is left out.")
	case d > 2 && h.names[d-1] == "" && rows.fields == d && rows.lastEmpty:
		h.see(0, d, true)
		h.note("Every line ends in a delimiter; the empty field after it is left out.")
	default:
		h.see(0, d, false)
	}
	return pos, h.check(headerless)
}

// see makes the columns from first to end-1 visible, without the last one if it is empty.
func (h *header) see(first, end int, lastEmpty bool) {
	if lastEmpty {
		end--
	}
	for j := first; j < end; j++ {
		h.visible = append(h.visible, j)
	}
}

// seen returns the names of the visible columns.
func (h *header) seen() []string {
	names := make([]string, len(h.visible))
	for k, j := range h.visible {
		names[k] = h.names[j]
	}
	return names
}

// recordEnd returns the position after the first record of run.
func recordEnd(run []byte) int {
	odd := false
	for i, c := range run {
		if c == '"' {
			odd = !odd
		} else if c == '\n' && !odd {
			return i + 1
		}
	}
	return len(run)
}

// firstRun returns the start of src from the header on: one run, or more if needed to contain the header. It
// skips a byte order mark and blank lines.
func (h *header) firstRun(src *runReader) ([]byte, *dataset.ParseError) {
	head, err := src.peek()
	if err != nil {
		return nil, &dataset.ParseError{Line: 1, Err: err}
	}
	if what := notText(head); what != "" {
		return nil, &dataset.ParseError{Detail: what, Err: dataset.ErrNotTable}
	}
	run, err := src.next(nil)
	run, h.lines = skipBlankLines(bytes.TrimPrefix(run, []byte(BOM)))
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
	case len(run) > 0: // an error will occur again with the rows
		return run, nil
	case err == io.EOF:
		return nil, &dataset.ParseError{Err: dataset.ErrEmpty}
	case errors.Is(err, dataset.ErrLineTooLong):
		return nil, &dataset.ParseError{Line: h.lines + 1, Detail: fmt.Sprintf("limit %d bytes", src.maxLine), Err: err}
	}
	return nil, &dataset.ParseError{Line: h.lines + 1, Err: err}
}

const onlyCR = "lines end in CR alone, as on old Macs"

// unnamed is the name of a first column without a name.
const unnamed = "unnamed"

// read reads the names from the record at the start of run and returns the position after it.
func (h *header) read(run []byte) (pos int, refusal *dataset.ParseError) {
	for last := false; !last; {
		var field []byte
		var ok bool
		quoted, column := run[pos] == '"', len(h.names)+1
		field, pos, last, ok = cutField(run, pos, h.delim)
		switch {
		case !ok:
			return pos, &dataset.ParseError{Column: column, Value: dataset.Excerpt(field), Err: dataset.ErrQuote}
		case !utf8.Valid(field):
			return pos, &dataset.ParseError{Column: column, Detail: "the name is not UTF-8", Err: dataset.ErrNotTable}
		case !quoted && bytes.IndexByte(field, '\r') >= 0:
			return pos, &dataset.ParseError{Column: column, Detail: onlyCR, Err: dataset.ErrNotTable}
		case column > maxHeader:
			return pos, &dataset.ParseError{Detail: fmt.Sprintf("more than %d", maxHeader), Err: dataset.ErrTooWide}
		}
		h.names = append(h.names, Unescape(string(fieldText(field, quoted))))
	}
	if len(h.names) > 1 && h.names[0] == "" {
		h.names[0] = unnamed // the column of row names written by pandas and R
	}
	return pos, nil
}

// numeric reports whether a name is a number, as in a file without a header.
func (h *header) numeric(name string) bool {
	_, refusal := ParseNumber([]byte(name), h.point)
	return refusal == nil
}

// check repairs the visible names. It returns a fault if they look like the first row of a file without a
// header.
func (h *header) check(headerless bool) *dataset.ParseError {
	names := h.seen()
	likeRow := !headerless && slices.ContainsFunc(names, h.numeric)
	if !likeRow {
		if note := dataset.RepairNames(names); note != "" {
			h.note("Names of columns are empty or repeated: %s.", note)
		}
		for k, j := range h.visible {
			h.names[j] = names[k]
		}
	}
	if err := dataset.CheckNames(names, ""); err != nil {
		e := err.(*dataset.ParseError)
		if e.Err == dataset.ErrSameName && likeRow {
			e.Err = fault.New(dataset.ErrSameName, "", "make the names distinct, or use %s if the file has no header", fault.Set("no-header", "true"))
		}
		return e
	}
	if len(names) == 1 {
		detail := ""
		if k := strings.IndexAny(names[0], ",;\t|"); k >= 0 {
			detail = fmt.Sprintf("the header holds %q, the delimiter is %q", names[0][k], h.delim)
		}
		return &dataset.ParseError{Detail: detail, Err: dataset.ErrOneColumn}
	}
	return nil
}

// notText describes the format of a file that is not a text table, or returns "".
func notText(head []byte) string {
	for _, f := range []struct{ magic, what string }{
		{"\x1f\x8b", "gzip data (unpack it first)"},
		{"PK\x03\x04", "a zip or a spreadsheet"},
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
