package csv

import (
	"bytes"
	"io"

	"github.com/polydag/polydag/dataset"
)

// A Records reads text records one by one.
type Records struct {
	src     *runReader
	run     []byte
	pos     int
	started bool
	Line    int // line of the last record
	passed  int // number of line ends so far
}

// NewRecords returns a reader of the comma-separated records of r.
func NewRecords(r io.Reader) *Records {
	return &Records{src: newRunReader(r, DefaultSettings().MaxLine)}
}

// Next returns the fields of the next nonblank record. Unquoted fields are trimmed.
func (e *Records) Next() ([]string, error) {
	for {
		for e.pos == len(e.run) {
			var err error
			if e.run, err = e.src.next(e.run); err == io.EOF {
				return nil, err
			} else if err != nil {
				return nil, &dataset.ParseError{Line: e.passed + 1, Err: err}
			}
			e.pos = 0
			if !e.started {
				e.started = true
				if what := notText(e.run); what != "" {
					return nil, &dataset.ParseError{Detail: what, Err: dataset.ErrNotTable}
				}
				if bytes.HasPrefix(e.run, []byte(BOM)) {
					e.pos = len(BOM)
				}
			}
		}
		e.Line = e.passed + 1
		start := e.pos
		var fields []string
		for last := false; !last; {
			at := e.pos
			var field []byte
			var ok bool
			field, e.pos, last, ok = cutField(e.run, e.pos, ',')
			if !ok {
				return nil, &dataset.ParseError{Line: e.Line, Column: len(fields) + 1, Value: dataset.Excerpt(field), Err: dataset.ErrQuote}
			}
			fields = append(fields, Unescape(string(fieldText(field, e.run[at] == '"'))))
		}
		e.passed += bytes.Count(e.run[start:e.pos], []byte{'\n'})
		if len(bytes.TrimRight(e.run[start:e.pos], "\r\n")) > 0 {
			return fields, nil
		}
	}
}
