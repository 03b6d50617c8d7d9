package report_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/report"
)

// TestFoldLine checks where lines break: a line of exactly the width stays whole, and one more character moves the last word.
func TestFoldLine(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  string
	}{
		{"aaa bbb ccc", 0, "aaa bbb ccc"},
		{"aaa bbb ccc", 11, "aaa bbb ccc"},
		{"aaa bbb ccc", 10, "aaa bbb\n  ccc"},
		{"aaa bbb ccc", 7, "aaa bbb\n  ccc"},
		{"aaa bbb ccc", 6, "aaa\n  bbb\n  ccc"},
		{"aaa bbb cc dd", 8, "aaa bbb\n  cc dd"},   // 7 characters, as two of them are the indent
		{"aaa bbb cc ddd", 8, "aaa bbb\n  cc ddd"}, // exactly 8
		{"aaa bbb cc dddd", 8, "aaa bbb\n  cc\n  dddd"},
		{"  aaa bbb", 8, "  aaa\n    bbb"},
		{"aaa   bbb", 8, "aaa\n  bbb"}, // no space at the end of a line
		{"aa  bb cc", 8, "aa  bb\n  cc"},
		{"longerthanthat aa", 6, "longerthanthat\n  aa"},
		{"äöü → ß", 6, "äöü →\n  ß"}, // characters, not bytes
		{"aaa bb  ", 8, "aaa bb  "},  // a line that fits is unchanged
		{"aaa bbb", -1, "aaa bbb"},
		{"aaaaaaaa  bbb", 8, "aaaaaaaa\n  bbb"}, // no space at the start of a line
		{"    aaa bbb", 8, "    aaa\n      bbb"},
		{"      aaa bbb", 8, "    aaa\n      bbb"}, // the indent is at most half of the width
	} {
		must.Same(t, report.FoldLine(c.line, c.width), c.want, c.line, c.width)
	}
}

// TestFold checks that lines that arrive in parts are folded once they end.
func TestFold(t *testing.T) {
	var b bytes.Buffer
	w := report.Fold(&b, 7)
	for _, part := range []string{"aaa b", "bb ccc\nd", "d\n", "not ended"} {
		if n, err := fmt.Fprint(w, part); n != len(part) || err != nil {
			t.Errorf("%q: %d bytes, %v", part, n, err)
		}
	}
	must.Same(t, b.String(), "aaa bbb\n  ccc\ndd\n")
	b.Reset()
	for _, width := range []int{0, -1} {
		fmt.Fprint(report.Fold(&b, width), "not ended ")
	}
	must.Same(t, b.String(), "not ended not ended ", "without a width")
}
