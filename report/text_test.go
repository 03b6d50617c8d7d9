package report_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
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

// A p-value that is too small for a float64 is shown as small, never as none, and the graph without a budget is spoken of
// only where there was a budget.
func TestTextOfTinyChances(t *testing.T) {
	r := &polydag.Result{Kind: graph.KindDAG, Names: []string{"a", "b"}}
	r.Edges = []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: 1, Standardized: 0.9, Compelled: true, Direction: polydag.DirectionDoubtful, Turned: true}}
	r.Regimes = &polydag.Regimes{Column: "site", Changed: []polydag.Changed{{Regime: "n", Column: "a"}, {Regime: "s", Column: "b", P: 2e-12, Adjusted: 8e-12}}}
	for _, limited := range []bool{false, true} {
		if limited {
			r.Budget = &method.Budget{MaxEdges: 1, Edges: 1}
		}
		text := string(render(t, "text", r))
		for _, want := range []string{"  n: a  <1e-300  <1e-300\n", "  s: b  2e-12  8e-12\n", "1 of the doubtful: a part of the rows has the edge turned round"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in %s", want, text)
			}
		}
		if strings.Contains(text, "the graph without a budget") != limited {
			t.Errorf("budget %v: %s", limited, text)
		}
	}
}
