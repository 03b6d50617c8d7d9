package report_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/report"
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

// One long name leaves the other lines as they are, and is cut in the middle; thousands of names of an order are cut to both ends.
func TestTextStaysNarrow(t *testing.T) {
	long := "a_column_whose_name_" + strings.Repeat("goes_on_and_", 30) + "ends_here"
	r := &polydag.Result{Kind: graph.KindDAG, Names: []string{"a", "b", long}}
	r.Edges = []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: 1, Standardized: 0.9}, {Link: polydag.Link{From: "a", To: long}, Mark: "-->", Weight: 1, Standardized: 0.5}}
	for i := range 5000 {
		r.Certificate.Order = append(r.Certificate.Order, fmt.Sprintf("x%d", i))
	}
	var b strings.Builder
	if err := report.Text(r)(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > 120 {
			t.Errorf("%d signs: %s", n, line)
		}
		if strings.HasPrefix(line, "  a → b ") && utf8.RuneCountInString(line) > 75 {
			t.Errorf("the line of short names is padded to %d signs", utf8.RuneCountInString(line))
		}
	}
	for _, want := range []string{"  x0, x1, ", "… 4,980 more …", "x4999", "a_column_whose_name_", "ends_here"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "x2500") {
		t.Error("the middle of the order is printed")
	}
}
