package dataset

import (
	"bytes"
	"fmt"
)

// A rowParser turns runs of records into values. It has no state and may be shared.
type rowParser struct {
	names []string
	delim byte
}

// parse appends the values of all records of run to dst. It returns dst, the number of
// line ends passed, and the first fault; the row and line of a fault count from the start
// of the run. The run must end with a line end.
func (p rowParser) parse(dst []float64, run []byte) ([]float64, int, error) {
	d := len(p.names)
	lines := 0
	for pos := 0; pos < len(run); {
		if run[pos] == '\n' {
			pos++
			lines++
			continue
		}
		if run[pos] == '\r' && run[pos+1] == '\n' {
			pos += 2
			lines++
			continue
		}
		start := pos
		for j := range d {
			v, next, ok := parseFloat(run, pos)
			if ok && j < d-1 && run[next] == p.delim {
				dst = append(dst, v)
				pos = next + 1
				continue
			}
			if ok && j == d-1 {
				if run[next] == '\r' {
					next++
				}
				if next < len(run) && run[next] == '\n' {
					dst = append(dst, v)
					pos = next + 1
					continue
				}
			}
			var last bool
			var fault *ParseError
			v, pos, last, fault = p.slowField(run, pos)
			if fault != nil || last != (j == d-1) {
				// A wrong number of fields explains more than a field that is wrong by it.
				if f := p.shape(run, start); f != nil {
					fault = f
				} else {
					fault.Column, fault.Name = j+1, p.names[j]
				}
				fault.Row, fault.Line = len(dst)/d+1, lines+1
				return dst, lines, fault
			}
			dst = append(dst, v)
		}
		lines++
	}
	return dst, lines, nil
}

// slowField reads any field: quoted, padded, or one that parseFloat leaves. It returns the
// position after the field's delimiter or line end, and whether the record ends there.
func (p rowParser) slowField(run []byte, pos int) (v float64, next int, last bool, fault *ParseError) {
	raw, next, last, ok := cutField(run, pos, p.delim)
	if !ok {
		return 0, next, last, &ParseError{Err: ErrQuote}
	}
	field := bytes.Trim(raw, " \t")
	v, err := parseNumber(field)
	if err != nil {
		fault = &ParseError{Value: shown(raw), Err: err}
		if bytes.IndexByte(raw, 0) >= 0 {
			fault.Err = ErrNotTable
		}
	}
	return v, next, last, fault
}

// shape returns what is wrong with the record at start before its values are read: its
// quotes or the number of its fields, or nil.
func (p rowParser) shape(run []byte, start int) *ParseError {
	got := 0
	for pos, last := start, false; !last; got++ {
		var ok bool
		var raw []byte
		raw, pos, last, ok = cutField(run, pos, p.delim)
		if !ok {
			e := &ParseError{Column: got + 1, Value: shown(raw), Err: ErrQuote}
			if got < len(p.names) {
				e.Name = p.names[got]
			}
			return e
		}
	}
	if got == len(p.names) {
		return nil
	}
	return &ParseError{Detail: fmt.Sprintf("expected %d, got %d", len(p.names), got), Err: ErrRagged}
}

// cutField returns the field at pos without its quotes, the position after the delimiter or
// line end that follows it, and whether it was a line end. ok is false if a quote is
// misplaced. The run must end with a line end.
func cutField(run []byte, pos int, delim byte) (field []byte, next int, last, ok bool) {
	if run[pos] != '"' {
		i := pos
		for run[i] != delim && run[i] != '\n' {
			i++
		}
		field, last = run[pos:i], run[i] == '\n'
		if last {
			field = bytes.TrimSuffix(field, []byte{'\r'})
		}
		return field, i + 1, last, bytes.IndexByte(field, '"') < 0
	}
	i := pos + 1
	for {
		k := bytes.IndexByte(run[i:], '"')
		if k < 0 {
			return run[pos : len(run)-1], len(run), true, false
		}
		i += k + 1
		if i < len(run) && run[i] == '"' {
			i++
			continue
		}
		break
	}
	field = run[pos+1 : i-1]
	if bytes.IndexByte(field, '"') >= 0 {
		field = bytes.ReplaceAll(field, []byte(`""`), []byte(`"`))
	}
	if i < len(run) && run[i] == '\r' && i+1 < len(run) && run[i+1] == '\n' {
		i++
	}
	if i == len(run) || run[i] != delim && run[i] != '\n' {
		return run[pos:min(i+1, len(run))], i, false, false
	}
	return field, i + 1, run[i] == '\n', true
}
