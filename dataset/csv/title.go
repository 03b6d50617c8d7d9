package csv

import (
	"bytes"

	"github.com/polydag/polydag/dataset"
)

// MostTitles limits the lines of a title.
const MostTitles = 10

// title returns the length of the title at the start of run and notes it. A title is lines with one filled field, or none after the
// first, before a line in which every field is filled. It is 0 unless that line can only be the header: it has no number, and the rows
// after it have as many fields, and a number in the first.
func (h *header) title(run []byte) (length int) {
	for lines := 0; length < len(run); lines++ {
		end := length + recordEnd(run[length:])
		if !isTitle(run[length:end], lines == 0) {
			break
		}
		if length = end; lines == MostTitles {
			return 0
		}
	}
	if length == 0 || length == len(run) || h.dialect.blanks {
		return 0
	}
	rest, delim, point, blanks := run[length:], h.delim, h.point, false
	if delim == 0 {
		delim, blanks = sniffDelimiter(rest, point)
	}
	if blanks {
		return 0
	}
	fields, pos := 0, 0
	for last, ok := false, false; !last; fields++ {
		var field []byte
		if field, pos, last, ok = cutField(rest, pos, delim); !ok || len(trimBlanks(field)) == 0 || isNumber(field) {
			return 0
		}
	}
	if point == 0 {
		point, _ = sniffDecimal(rest, delim)
	}
	if rows := takeCensus(rest[pos:], delim, point); fields < 2 || rows.fields != fields || rows.rows < 2 || !rows.numbers {
		return 0
	}
	h.lines += bytes.Count(run[:length], newline)
	first, _, _ := bytes.Cut(run, newline)
	h.note("The header is line %d, after the title %q.", h.lines+1, dataset.Excerpt(bytes.Trim(first, titleEdge+`"`)))
	return length
}

// titleEdge are the delimiters and blanks that may follow the text of a title.
const titleEdge = ",;|\t \r\n"

// isTitle reports whether a line has one filled field under every delimiter, which is no number. A line after the first may be empty.
func isTitle(line []byte, first bool) bool {
	text := bytes.TrimRight(line, titleEdge)
	if n := len(text); n > 1 && text[0] == '"' && text[n-1] == '"' && bytes.Count(text, []byte{'"'}) == 2 {
		return true
	}
	return (len(text) > 0 || !first) && !bytes.ContainsAny(text, `,;|"`+"\t") && !isNumber(text)
}

func isNumber(field []byte) bool {
	_, refusal := ParseNumber(trimBlanks(field), '.')
	return refusal == nil
}
