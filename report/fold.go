package report

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// Fold returns a writer that breaks lines longer than width at spaces and indents continuation lines by two
// more characters. A width of 0 leaves lines unchanged. The last line is written only after its line end.
func Fold(w io.Writer, width int) io.Writer {
	if width <= 0 {
		return w
	}
	return &folder{w: w, width: width}
}

type folder struct {
	w     io.Writer
	width int
	rest  []byte // the current line
}

func (f *folder) Write(p []byte) (int, error) {
	f.rest = append(f.rest, p...)
	for {
		line, rest, whole := bytes.Cut(f.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if _, err := io.WriteString(f.w, FoldLine(string(line), f.width)+"\n"); err != nil {
			return 0, err
		}
		f.rest = append(f.rest[:0], rest...)
	}
}

// FoldLine breaks one line at spaces so that no part exceeds width, unless a word does.
func FoldLine(line string, width int) string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return line
	}
	text := strings.TrimLeft(line, " ")
	indent := min(utf8.RuneCountInString(line)-utf8.RuneCountInString(text), width/2)
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", indent))
	at, first := indent, true
	for part := range strings.SplitSeq(text, " ") {
		n := utf8.RuneCountInString(part)
		switch {
		case first:
		case at+1+n > width && part != "":
			b.WriteString("\n" + strings.Repeat(" ", indent+2))
			at = indent + 2
		case at+1+n <= width:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(part)
		at, first = at+n, false
	}
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
