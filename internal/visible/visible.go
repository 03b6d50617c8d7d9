// Package visible writes text for people: it shows control characters and bidirectional marks, which come from the names and
// values of tables, as escapes such as \u001b instead of sending them to a terminal.
package visible

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden reports whether a terminal would obey r instead of showing it: controls (C0, DEL, C1), bidirectional marks, and the
// separators of lines and paragraphs.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}

// Name returns a name or a value as it is shown within a line: every hidden character is an escape, line breaks and tabs included.
func Name(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return hidden(r) || r == utf8.RuneError }) {
		return s
	}
	return string(appendText(nil, s, false))
}

// Fprintf writes text in which the string arguments are shown as names are.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	for k, arg := range args {
		if s, ok := arg.(string); ok {
			args[k] = Name(s)
		}
	}
	return fmt.Fprintf(w, format, args...)
}

// appendText appends s with hidden characters as escapes in the form of JSON, so that JSON text keeps its meaning. Bytes that are not
// UTF-8 become U+FFFD. With lines, line breaks and tabs remain.
func appendText[T string | []byte](out []byte, s T, lines bool) []byte {
	for _, r := range string(s) {
		if hidden(r) && !(lines && (r == '\n' || r == '\t')) {
			out = fmt.Appendf(out, `\u%04x`, r)
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}
