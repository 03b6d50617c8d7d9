package csv

import (
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
)

// Write writes a header and rows, each of len(names) values, as RFC 4180 with LF line
// ends. Numbers are the shortest text that reads back as the same float64. The rows are
// not kept, so the iterator may reuse one slice. A CR LF inside a name is read back as LF. It stops at the first error of w or at
// a row of the wrong length.
func Write(w io.Writer, names []string, rows iter.Seq[[]float64]) error {
	return writeText(w, ',', names, rows)
}

// WriteTSV is Write with tabs between the fields.
func WriteTSV(w io.Writer, names []string, rows iter.Seq[[]float64]) error {
	return writeText(w, '\t', names, rows)
}

func writeText(w io.Writer, delim byte, names []string, rows iter.Seq[[]float64]) error {
	buf := make([]byte, 0, writeBytes+4096)
	for j, name := range names {
		if j > 0 {
			buf = append(buf, delim)
		}
		buf = AppendName(buf, name)
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
			buf = strconv.AppendFloat(buf, v, 'g', -1, 64)
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

// writeBytes is how much Write gathers before it writes.
const writeBytes = 64 << 10

// AppendName appends a header field, quoted where a reader would not get it back otherwise.
func AppendName(buf []byte, name string) []byte {
	if name != "" && !strings.ContainsAny(name, ",\"\r\n;\t|") && strings.Trim(name, " \t") == name && !strings.HasPrefix(name, BOM) {
		return append(buf, name...)
	}
	buf = append(buf, '"')
	buf = append(buf, strings.ReplaceAll(name, `"`, `""`)...)
	return append(buf, '"')
}
