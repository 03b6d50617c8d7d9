package dataset

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// readHeader takes the first record of src as the names of the columns and returns them
// with the number of line ends passed. The delimiter is opt's; a guess from the first record
// would be made here.
func readHeader(src *source, opt CSVOptions) (names []string, lines int, err error) {
	fail := func(e ParseError) ([]string, int, error) {
		e.File = opt.File
		return nil, 0, &e
	}
	run, err := src.next(nil)
	switch {
	case err == io.EOF:
		return fail(ParseError{Err: ErrEmpty})
	case err != nil:
		return fail(ParseError{Line: 1, Err: err})
	}
	if what := notText(run); what != "" {
		return fail(ParseError{Detail: what, Err: ErrNotTable})
	}
	run = bytes.TrimPrefix(run, []byte(bom))
	for len(run) > 0 && (run[0] == '\n' || run[0] == '\r' && run[1] == '\n') {
		run = run[bytes.IndexByte(run, '\n')+1:]
		lines++
	}
	if len(run) == 0 {
		return fail(ParseError{Err: ErrEmpty})
	}
	pos := 0
	for last := false; !last; {
		var field []byte
		var ok bool
		start := pos
		field, pos, last, ok = cutField(run, pos, opt.Delimiter)
		if !ok {
			return fail(ParseError{Line: lines + 1, Column: len(names) + 1, Value: shown(field), Err: ErrQuote})
		}
		if !utf8.Valid(field) {
			return fail(ParseError{Line: lines + 1, Column: len(names) + 1, Detail: "the name is not UTF-8", Err: ErrNotTable})
		}
		if run[start] != '"' && bytes.IndexByte(field, '\r') >= 0 {
			return fail(ParseError{Line: lines + 1, Column: len(names) + 1, Detail: "lines end in CR alone", Err: ErrNotTable})
		}
		names = append(names, fieldText(field, run[start] == '"'))
	}
	lines++
	if err := checkNames(names, opt.File); err != nil {
		e := err.(*ParseError)
		e.Line = lines
		return nil, 0, e
	}
	if len(names) == 1 {
		detail := ""
		if k := strings.IndexAny(names[0], ",;\t|"); k >= 0 {
			detail = fmt.Sprintf("the header holds %q, the delimiter is %q", names[0][k], opt.Delimiter)
		}
		return fail(ParseError{Line: lines, Detail: detail, Err: ErrOneColumn})
	}
	lines += bytes.Count(run[:pos-1], []byte{'\n'}) // line ends inside quoted names
	src.giveBack(run[pos:])
	return names, lines, nil
}

// bom is the byte order mark that some programs put at the start of UTF-8.
const bom = "\ufeff"

// fieldText returns a field of text: as it stands if quoted, but for the line ends inside,
// which become LF as in encoding/csv; without spaces and tabs around it otherwise.
func fieldText(field []byte, quoted bool) string {
	if quoted {
		return strings.ReplaceAll(string(field), "\r\n", "\n")
	}
	return string(bytes.Trim(field, " \t"))
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
	if k := bytes.IndexByte(head, 0); k >= 0 {
		if bytes.HasPrefix(head, []byte("PAR1")) {
			return "a Parquet file"
		}
		return fmt.Sprintf("binary data, byte %d is NUL", k+1)
	}
	return ""
}
