package csv

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// cutField returns the field at pos without its quotes, the position after the delimiter or line end that
// follows it, and whether it was a line end. ok is false for a misplaced quote. The run must end with a line
// end.
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

// skipFields skips n fields at pos that each end with a delimiter, eight bytes at a time. It stops early, at
// the start of a field, near a quote or a line end; left is then the number of remaining fields.
func skipFields(run []byte, pos, n int, delim byte) (next, left int) {
	const ones = 0x0101010101010101
	delims, quotes, ends := ones*uint64(delim), uint64(ones*'"'), uint64(ones*'\n')
	next = pos
	for n > 0 && pos+8 <= len(run) {
		w := binary.LittleEndian.Uint64(run[pos:])
		if zeroBytes(w^quotes)|zeroBytes(w^ends) != 0 {
			break
		}
		m := zeroBytes(w ^ delims)
		for m != 0 && n > 0 {
			n--
			next = pos + bits.TrailingZeros64(m)/8 + 1
			m &= m - 1
		}
		pos += 8
	}
	return next, n
}

// zeroBytes sets the top bit of each byte for which the byte of w is zero.
func zeroBytes(w uint64) uint64 {
	const low = 0x7F7F7F7F7F7F7F7F
	return ^((w&low + low) | w | low)
}

// fieldText returns the text of a field. A quoted field is unchanged except that line ends inside become LF, as
// in encoding/csv. Otherwise surrounding spaces and tabs are removed.
func fieldText(field []byte, quoted bool) []byte {
	if !quoted {
		return trimBlanks(field)
	}
	if bytes.IndexByte(field, '\r') < 0 {
		return field
	}
	return bytes.ReplaceAll(field, []byte("\r\n"), []byte("\n"))
}

// trimBlanks returns s without surrounding spaces and tabs.
func trimBlanks(s []byte) []byte {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

// blankLine returns the length of the blank line at the start of b, or 0.
func blankLine(b []byte) int {
	switch {
	case len(b) > 0 && b[0] == '\n':
		return 1
	case len(b) > 1 && b[0] == '\r' && b[1] == '\n':
		return 2
	}
	return 0
}

// skipBlankLines returns b from its first nonblank line on, and the number of skipped lines.
func skipBlankLines(b []byte) (rest []byte, lines int) {
	for n := blankLine(b); n > 0; n = blankLine(b) {
		b = b[n:]
		lines++
	}
	return b, lines
}
