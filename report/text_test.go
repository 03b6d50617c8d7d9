package report_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/polydag/polydag"
)

// No name makes a terminal do anything: control characters do not reach it.
func TestTextHasNoControlCharacters(t *testing.T) {
	for name, r := range cases() {
		if len(r.Edges) > 0 {
			e := r.Edges[0]
			r.Continuous = &polydag.Continuous{
				CyclicComponents: 1, Cycle: []string{e.From, e.To}, Cut: []polydag.CutEdge{{Link: polydag.Link{From: e.From, To: e.To}, Weight: 1}},
			}
		}
		text := string(render(t, "text", r))
		if at := strings.IndexFunc(text, func(c rune) bool { return unicode.IsControl(c) && c != '\n' }); at >= 0 {
			t.Errorf("%s: %q", name, text[max(at-20, 0):at+1])
		}
	}
}
