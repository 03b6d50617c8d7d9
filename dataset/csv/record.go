package csv

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/internal/absent"
)

// A rowParser parses runs of records into batches. It is read-only after its creation and may be shared.
type rowParser struct {
	names        []string // names of the columns of the file
	delim, point byte
	dialect      dialect
	strict       bool // everything except a finite number is a fault
	plain        bool // parseFloat finds the end of a number: the decimal mark is not also the delimiter

	places []int // by column of the file: its index in a row of the batch, or -1
	skip   []int // number of consecutive unused columns from here, without the last of the file
	width  int   // columns of the batch

	missing []*missingSet // by column
	forms   []*Form       // by column; mostly nil
	pace    []pace        // by column
}

// pace is the way to read the fields of a column.
type pace byte

const (
	fast    pace = iota // by parseFloat, with other as a fallback
	checked             // as fast, but a number may mean a missing value
	slow                // always by other
	passed              // not read
)

// newRowParser returns a parser of all columns. A word of opt.NA is compared with the trimmed field, or as a
// number if it is one.
func newRowParser(h *header, opt Settings, strict bool) (*rowParser, error) {
	p := &rowParser{names: h.names, delim: h.delim, point: h.point, dialect: h.dialect, strict: strict, plain: h.delim != h.point, forms: make([]*Form, len(h.names))}
	var err error
	if p.missing, err = missingSets(h.names, opt.NA, p.point); err != nil {
		return nil, err
	}
	if !strict {
		for j, name := range h.names {
			if f, ok := opt.Forms[name]; ok {
				p.forms[j] = &f
			}
		}
	}
	p.choose(h.visible)
	return p, nil
}

// choose selects the columns of the batch by their indices, each at most once.
func (p *rowParser) choose(columns []int) {
	d := len(p.names)
	p.width = len(columns)
	p.places, p.skip, p.pace = slices.Repeat([]int{-1}, d), make([]int, d), slices.Repeat([]pace{passed}, d)
	for k, j := range columns {
		p.places[j] = k
		switch {
		case !p.plain || p.forms[j] != nil && p.forms[j].Kind == Words:
			p.pace[j] = slow
		case p.missing[j].numbers != nil:
			p.pace[j] = checked
		default:
			p.pace[j] = fast
		}
	}
	for j := d - 2; j >= 0; j-- {
		if p.places[j] < 0 {
			p.skip[j] = p.skip[j+1] + 1
		}
	}
}

var newline = []byte{'\n'}

// parse overwrites b with the records of run, which ends with a line end. It returns the number of line ends
// and the first fault; b then has the rows before it. Rows and lines count from the start of the run.
func (p *rowParser) parse(b *dataset.Batch, run []byte) (lines int, fault *dataset.ParseError) {
	b.Reset()
	run = p.dialect.tidy(run)
	values := b.Values
	for pos := 0; pos < len(run); {
		if n := blankLine(run[pos:]); n > 0 {
			pos += n
			lines++
			continue
		}
		n := len(values)
		if cap(values)-n < p.width {
			rest := run[pos:] // a row needs at least one byte per field
			values = slices.Grow(values, p.width*max(1, min(bytes.Count(rest, newline), len(rest)/len(p.names))))
		}
		cells, text := len(b.Cells), len(b.Text)
		var inner int
		pos, inner, fault = p.record(b, values[n:n+p.width], run, pos, lines+1)
		if fault != nil {
			fault.Row = b.Rows + 1
			b.Cells, b.Text = b.Cells[:cells], b.Text[:text]
			break
		}
		values = values[:n+p.width]
		b.Rows++
		lines += inner + 1
	}
	b.Values = values
	return lines, fault
}

// record reads the record at start, on the given line, into row. It returns the position
// after it and the number of line ends inside it.
func (p *rowParser) record(b *dataset.Batch, row []float64, run []byte, start, line int) (pos, inner int, fault *dataset.ParseError) {
	pos = start
	last := len(p.places) - 1
	for j := 0; j <= last; j++ {
		place, pace := p.places[j], p.pace[j]
		if pace <= checked {
			v, next, ok := parseFloat(run, pos, p.point)
			if ok && v < maxExact && v > -maxExact && (pace == fast || !slices.Contains(p.missing[j].numbers, v)) {
				if j < last && run[next] == p.delim {
					row[place] = v
					pos = next + 1
					continue
				}
				if j == last {
					if run[next] == '\r' {
						next++
					}
					if next < len(run) && run[next] == '\n' {
						row[place] = v
						return next + 1, inner, nil
					}
				}
			}
		} else if n := p.skip[j]; pace == passed && n > 0 {
			next, left := skipFields(run, pos, n, p.delim)
			if left < n {
				pos = next
				j += n - left - 1
				continue
			}
		}
		raw, next, end, ok := cutField(run, pos, p.delim)
		quoted := run[pos] == '"'
		var err error
		if ok && place >= 0 {
			err = p.other(b, row, j, raw, quoted, line+inner)
		}
		if !ok || end != (j == last) || err != nil {
			// A wrong number of fields is the better explanation of a wrong field.
			if fault := p.shape(run, start); fault != nil {
				fault.Line = line
				return pos, inner, fault
			}
			return pos, inner, &dataset.ParseError{Line: line + inner, Column: j + 1, Name: p.names[j], Value: dataset.Excerpt(raw), Err: err}
		}
		if quoted {
			inner += bytes.Count(run[pos:next-1], newline)
		}
		pos = next
	}
	return pos, inner, nil
}

// other reads any other field: quoted, padded, missing, text, or a number that parseFloat cannot read. The
// error is one of the Err values.
func (p *rowParser) other(b *dataset.Batch, row []float64, j int, raw []byte, quoted bool, line int) error {
	place, missing := p.places[j], p.missing[j]
	field := trimBlanks(raw)
	v, err := ParseNumber(field, p.point)
	switch {
	case missing.words[string(field)] || err == nil && slices.Contains(missing.numbers, v):
		v, err = math.NaN(), dataset.ErrMissing
	case p.strict:
	case v != v && err != dataset.ErrNotNumber && len(field) > 0 && (quoted || missing.literal || absent.Of(field) != absent.Always):
		err = dataset.ErrNotNumber // text, unless the form defines it as a marker or the column has no other text
	case err == nil && (v >= maxExact || v <= -maxExact) && beyondExact(field):
		v, err = math.NaN(), dataset.ErrNotNumber // an identifier, unless the form says otherwise
	}
	if form := p.forms[j]; form != nil {
		switch {
		case err == dataset.ErrNotNumber && form.Missing && marker(field), err == dataset.ErrNotNumber && !quoted && oneOf(field, form.Marks):
			err = dataset.ErrMissing
		case err == dataset.ErrNotNumber:
			if x, ok := form.number(field); ok {
				v, err = x, nil
			}
		case form.Kind == Words && err != dataset.ErrMissing && v == v:
			v, err = math.NaN(), dataset.ErrNotNumber
		}
	}
	row[place] = v
	if err == dataset.ErrNotNumber && bytes.IndexByte(field, 0) >= 0 {
		return dataset.ErrNotTable
	}
	if p.strict {
		return err
	}
	if err == dataset.ErrNotNumber {
		text := fieldText(raw, quoted)
		if len(text) > 2 && text[0] == '\'' {
			text = []byte(Unescape(string(text)))
		}
		b.AddText(b.Rows, place, line, text)
	}
	return nil
}

// shape returns a fault if the quotes or the number of fields of the record at start are wrong, or nil.
func (p *rowParser) shape(run []byte, start int) *dataset.ParseError {
	got := 0
	for pos, last := start, false; !last; got++ {
		var ok bool
		var raw []byte
		raw, pos, last, ok = cutField(run, pos, p.delim)
		if !ok {
			e := &dataset.ParseError{Column: got + 1, Value: dataset.Excerpt(raw), Err: dataset.ErrQuote}
			if got < len(p.names) {
				e.Name = p.names[got]
			}
			return e
		}
	}
	if got == len(p.names) {
		return nil
	}
	return &dataset.ParseError{Detail: fmt.Sprintf("expected %d, got %d", len(p.names), got), Err: dataset.ErrRagged}
}
