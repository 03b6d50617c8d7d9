package csv

import (
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Write writes a header and rows, each of len(names) values, as RFC 4180 with LF line ends. Numbers are the
// shortest text that reads back as the same float64. The rows are not retained, so the iterator may reuse one
// slice. A CR LF inside a name is read back as LF. It stops at the first error of w or at a row of the wrong
// length.
func Write(w io.Writer, names []string, rows iter.Seq[[]float64]) error {
	return WriteWords(w, ',', names, nil, rows, false)
}

// WriteWords is Write with another delimiter and with text columns. If words[j] has entries, a number k of
// column j means words[j][k]. The empty word is an empty field. Names and words are escaped for spreadsheets
// (see Escape) unless raw is set.
func WriteWords(w io.Writer, delim byte, names []string, words [][]string, rows iter.Seq[[]float64], raw bool) error {
	safe := Escape
	if raw {
		safe = func(s string) string { return s }
	}
	buf := make([]byte, 0, writeBytes+4096)
	for j, name := range names {
		if j > 0 {
			buf = append(buf, delim)
		}
		buf = AppendName(buf, safe(name))
	}
	buf = append(buf, '\n')
	i := 0
	for row := range rows {
		i++
		if len(row) != len(names) {
			return fmt.Errorf("row %d has %d values for %d columns", i, len(row), len(names))
		}
		for j, v := range row {
			if j > 0 {
				buf = append(buf, delim)
			}
			if words == nil || words[j] == nil {
				buf = strconv.AppendFloat(buf, v, 'g', -1, 64)
				continue
			}
			word, err := Word(words[j], v)
			if err != nil {
				return fmt.Errorf("row %d, column %d (%s): %w", i, j+1, names[j], err)
			}
			if word != "" {
				buf = AppendName(buf, safe(word))
			}
		}
		buf = append(buf, '\n')
		if len(buf) >= writeBytes {
			if _, err := w.Write(buf); err != nil {
				return fmt.Errorf("write of row %d: %w", i, err)
			}
			buf = buf[:0]
		}
	}
	if _, err := w.Write(buf); err != nil {
		return fmt.Errorf("write of row %d: %w", i, err)
	}
	return nil
}

// Word returns the word of a number.
func Word(words []string, v float64) (string, error) {
	if !(v >= 0 && v < float64(len(words))) || v != math.Trunc(v) {
		return "", fmt.Errorf("%v stands for none of %d words", v, len(words))
	}
	return words[int(v)], nil
}

// writeBytes is the size of the output buffer.
const writeBytes = 64 << 10

// AppendName appends a header field, quoted if a reader would otherwise change it.
func AppendName(buf []byte, name string) []byte {
	if name != "" && !strings.ContainsAny(name, ",\"\r\n;\t|") && strings.Trim(name, " \t") == name && !strings.HasPrefix(name, BOM) {
		return append(buf, name...)
	}
	buf = append(buf, '"')
	buf = append(buf, strings.ReplaceAll(name, `"`, `""`)...)
	return append(buf, '"')
}

// Escape protects text from being run as a formula by a spreadsheet. Text that begins with =, +, -, @, a tab or
// a CR and is not a number gets a leading apostrophe; so does text that begins with a full-width sign, which spreadsheets in
// East Asian settings read as the sign. So does such text after leading apostrophes, so that Unescape is the inverse.
func Escape(s string) string {
	if formula(s) {
		return "'" + s
	}
	return s
}

// Unescape undoes Escape.
func Unescape(s string) string {
	if bare, escaped := strings.CutPrefix(s, "'"); escaped && formula(bare) {
		return bare
	}
	return s
}

// formula reports whether a spreadsheet would run s, without leading apostrophes, as a formula.
func formula(s string) bool {
	s = strings.TrimLeft(s, "'")
	sign, size := utf8.DecodeRuneInString(s)
	return len(s) > size && strings.ContainsRune("=+-@\t\r＝＋－＠", sign) && !decimal([]byte(s), '.')
}
