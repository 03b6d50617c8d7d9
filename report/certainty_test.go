package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/trust"
)

// Each basis of a direction is drawn in its own way, and only the model whose checks passed as a plain arrow.
func TestDirections(t *testing.T) {
	for _, c := range []struct {
		direction          polydag.Direction
		compelled          bool
		text, dot, mermaid string
	}{
		{polydag.DirectionModel, true, "a → b ", `compelled=true`, `n0 -->|"+2"| n1`},
		{polydag.DirectionOpen, false, "a ⇢ b ", "style=dashed", `n0 -.->|"+2"| n1`},
		{polydag.DirectionUnchecked, true, "a →? b ", "style=dotted", `n0 -->|"+2 ?"| n1`},
		{polydag.DirectionDoubtful, true, "a →? b ", "style=dotted", `n0 -->|"+2 ?"| n1`},
		{"", true, "a →? b ", "style=dotted", `n0 -->|"+2 ?"| n1`},
	} {
		r := &polydag.Result{Names: []string{"a", "b"}, Kind: "dag", Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: 2, Compelled: c.compelled, Direction: c.direction}},
			Certificate: trust.Certificate{Kind: "dag", Holds: true, Order: []string{"a", "b"}}}
		var text, dot, mermaid bytes.Buffer
		if report.Text(r)(&text) != nil || report.DOT(r)(&dot) != nil || report.Mermaid(r)(&mermaid) != nil {
			t.Fatal("a bytes.Buffer failed")
		}
		for got, want := range map[string]string{text.String(): c.text, dot.String(): c.dot, mermaid.String(): c.mermaid} {
			if !strings.Contains(got, want) {
				t.Errorf("%q: no %q in\n%s", c.direction, want, got)
			}
		}
		if solid := !strings.Contains(dot.String(), "style=d"); solid != (c.direction == polydag.DirectionModel) {
			t.Errorf("%q: drawn solid %v", c.direction, solid)
		}
	}
}

// An assumption that fails has a line with its figures and one with a way out.
func TestAssumptionLines(t *testing.T) {
	r := &polydag.Result{Names: []string{"a"}, Certificate: trust.Certificate{Kind: "dag", Holds: true, Order: []string{"a"}}, Assumptions: []trust.Assumption{
		{Name: trust.GaussianNoise, Statement: "the noise is Gaussian", Verdict: trust.Fails, Sentence: "x", Evidence: []trust.Finding{
			{Code: trust.Binary, Sentence: "a has two values", WayOut: "another model"}}},
		{Name: trust.LinearEffects, Statement: "effects are linear", Verdict: trust.NotTested, Sentence: "moments only"},
		{Name: trust.IndependentRows, Statement: "rows are independent", Verdict: trust.HoldsUp, Sentence: "y"},
		{Name: trust.NoFeedback, Statement: "no feedback", Verdict: trust.NotCheckable, Sentence: "z"},
	}}
	var b bytes.Buffer
	if err := report.Text(r)(&b); err != nil {
		t.Fatal(err)
	}
	want := `
What the model assumes, held against the table:
  FAILS          the noise is Gaussian: a has two values
                 → another model
  holds up       rows are independent
  not checked    effects are linear (moments only)
  not checkable  no feedback

no edges
`
	if !strings.Contains(b.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
