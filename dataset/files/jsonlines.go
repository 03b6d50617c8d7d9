package files

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// jsonSource reads a sequence of JSON objects, one per row: one per line, separated by any white space, or the elements of one
// array. The columns are the keys in the first megabyte, at least those of the first record, in order of appearance. A key that a
// record lacks is a missing value.
type jsonSource struct {
	frame
	file   string
	r      io.Reader
	most   int // largest record in bytes
	buf    []byte
	pos    int // position of the first unused byte
	ended  error
	array  bool // the records are the elements of an array
	closed bool // the array has ended
	first  bool // no record was read yet
	line   int  // line of buf[pos], from 1
	row    int  // number of records read
	record jsonRecord
	used   int64
}

// jsonLook is the number of bytes searched for keys.
const jsonLook = 1 << 20

func openJSON(file string, r io.Reader, opt Settings) (dataset.Source, error) {
	s := &jsonSource{file: file, r: r, most: opt.CSV.MaxLine, line: 1, first: true}
	if err := s.grow(jsonLook); err != nil {
		return nil, err
	}
	s.buf = bytes.TrimPrefix(s.buf, []byte("\ufeff"))
	if err := s.skipSpace(true); err != nil {
		return nil, err
	}
	if s.pos < len(s.buf) && s.buf[s.pos] == '[' {
		s.array = true
		s.pos++
	}
	pos, line := s.pos, s.line
	s.record.grow = true
	for more := true; more; {
		// Read the first record, and further records that end within the first megabyte.
		raw, err := s.next(s.row == 0)
		switch {
		case err == io.EOF, err != nil && s.row > 0, s.row > 1 && s.pos > jsonLook:
			more = false // the error occurs again when its row is read
			continue
		case err != nil:
			return nil, err
		case s.row == 1:
			// The buffer may have moved if the first record is longer than it.
			pos, line = s.pos-len(raw), s.line-bytes.Count(raw, []byte{'\n'})
		}
		err = s.record.parse(raw, nil, nil, nil)
		if err != nil && s.row == 1 {
			return nil, s.fault(err)
		}
		if len(s.record.names) > opt.MaxColumns {
			return nil, located(file, dataset.ErrTooWide, "more than %d", opt.MaxColumns)
		}
		more = err == nil
	}
	if s.row == 0 {
		return nil, &dataset.ParseError{File: file, Err: dataset.ErrEmpty}
	}
	s.pos, s.line, s.row, s.first, s.closed = pos, line, 0, true, false
	s.record.grow = false
	columns := make([]dataset.Column, len(s.record.names))
	for j, name := range s.record.names {
		columns[j].Name = name
		if s.record.kinds[j] == jsonBool {
			columns[j].Kind = dataset.Bool
		}
	}
	var err error
	s.frame, err = newFrame(file, columns, opt)
	return s, err
}

// errJSONMore means that the buffer has only a part of a record.
var errJSONMore = errors.New("more input is needed")

// grow reads until at least n bytes are available or the stream ends.
func (s *jsonSource) grow(n int) error {
	if len(s.buf)-s.pos >= n {
		return nil
	}
	s.buf = append(s.buf[:0], s.buf[s.pos:]...)
	s.pos = 0
	for len(s.buf) < n && s.ended == nil {
		s.buf = slices.Grow(s.buf, max(1<<16, min(n-len(s.buf), len(s.buf)))) // grow only as bytes arrive
		k, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+k]
		s.used += int64(k)
		if err != nil {
			s.ended = err
		}
	}
	if s.ended != nil && s.ended != io.EOF {
		return s.fault(s.ended)
	}
	return nil
}

// skipSpace skips white space and counts lines. Without fetch it does not read, and returns errJSONMore at the end of the buffer.
func (s *jsonSource) skipSpace(fetch bool) error {
	for {
		for ; s.pos < len(s.buf); s.pos++ {
			switch s.buf[s.pos] {
			case '\n':
				s.line++
			case ' ', '\t', '\r':
			default:
				return nil
			}
		}
		if s.ended != nil {
			return nil
		}
		if !fetch {
			return errJSONMore
		}
		if err := s.grow(1); err != nil {
			return err
		}
	}
}

// next returns the bytes of the next record, or io.EOF after the last. Without fetch it does not read, and returns errJSONMore if
// the buffer has only a part of the record. It counts the lines within the record.
func (s *jsonSource) next(fetch bool) ([]byte, error) {
	if err := s.skipSpace(fetch); err != nil {
		return nil, err
	}
	if s.array && !s.closed && s.pos < len(s.buf) {
		switch c := s.buf[s.pos]; {
		case c == ']':
			s.closed = true
			s.pos++
		case c == ',' && !s.first:
			s.pos++
		case !s.first:
			return nil, s.syntax("a comma is missing between two records")
		}
		if err := s.skipSpace(fetch); err != nil {
			return nil, err
		}
	}
	if s.pos == len(s.buf) {
		if s.array && !s.closed {
			return nil, s.syntax("the array is not closed")
		}
		return nil, io.EOF
	}
	if s.closed {
		return nil, s.syntax("there is more after the array")
	}
	if s.buf[s.pos] != '{' {
		return nil, s.syntax(fmt.Sprintf("a record starts with { and here is \"%c\"", s.buf[s.pos]))
	}
	n, err := s.extent(fetch)
	if err != nil {
		return nil, err
	}
	raw := s.buf[s.pos : s.pos+n]
	s.pos += n
	s.line += bytes.Count(raw, []byte{'\n'})
	s.row++
	s.first = false
	return raw, nil
}

// extent returns the length of the object that starts at pos.
func (s *jsonSource) extent(fetch bool) (int, error) {
	depth, text, escaped := 0, false, false
	for i := 0; ; {
		for ; s.pos+i < len(s.buf); i++ {
			switch c := s.buf[s.pos+i]; {
			case escaped:
				escaped = false
			case text:
				text, escaped = c != '"', c == '\\'
			case c == '"':
				text = true
			case c == '{', c == '[':
				depth++
			case c == '}', c == ']':
				if depth--; depth == 0 && i < s.most {
					return i + 1, nil
				}
			}
		}
		switch {
		case i >= s.most:
			return 0, &dataset.ParseError{File: s.file, Line: s.line, Row: s.row + 1, Detail: fmt.Sprintf("a record, limit %d bytes", s.most), Err: dataset.ErrLineTooLong}
		case s.ended != nil:
			return 0, s.syntax("the last record is not closed")
		case !fetch:
			return 0, errJSONMore
		}
		if err := s.grow(max(2*i, 1<<18)); err != nil {
			return 0, err
		}
	}
}

func (s *jsonSource) syntax(detail string) error {
	return &dataset.ParseError{File: s.file, Line: s.line, Row: s.row + 1, Detail: detail, Err: ErrJSON}
}

// fault adds the place of the last record to an error.
func (s *jsonSource) fault(err error) error {
	var e *dataset.ParseError
	if errors.As(err, &e) {
		if e.File == "" {
			e.File, e.Row, e.Line = s.file, s.row, s.line
		}
		return err
	}
	return &dataset.ParseError{File: s.file, Line: s.line, Row: s.row + 1, Err: err}
}

func (s *jsonSource) Next(ctx context.Context, b *dataset.Batch) error {
	if !s.started {
		s.record.choose(s.chosen)
	}
	if err := s.begin(ctx, b); err != nil {
		return err
	}
	d := len(s.columns)
	want := batchRows(d)
	for b.Rows < want && len(b.Text) < 1<<22 {
		raw, err := s.next(true)
		if err == io.EOF && b.Rows > 0 {
			break
		}
		if err != nil {
			b.Reset()
			return err
		}
		start := len(b.Values)
		b.Values = slices.Grow(b.Values, d)[:start+d]
		row := b.Values[start:]
		for j := range row {
			row[j] = math.NaN()
		}
		line := s.line - bytes.Count(raw, []byte{'\n'})
		text := func(j int, t []byte) { b.AddText(b.Rows, j, line, t) }
		if err := s.record.parse(raw, row, s.record.place, text); err != nil {
			b.Reset()
			return s.fault(err)
		}
		b.Rows++
	}
	slices.SortFunc(b.Cells, byPlace)
	b.Bytes = s.used
	return nil
}

func byPlace(x, y dataset.Cell) int { return cmp.Or(x.Row-y.Row, x.Column-y.Column) }
