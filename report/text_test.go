package report_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/trust"
)

// TestTextHasNoControlCharacters checks that control characters in names do not reach the terminal.
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

// TestTextStaysNarrow checks that a long name does not affect other lines and is shortened in the middle, and
// that a long order is shortened to both ends.
func TestTextStaysNarrow(t *testing.T) {
	long := "a_column_whose_name_" + strings.Repeat("goes_on_and_", 30) + "ends_here"
	r := &polydag.Result{Kind: graph.KindDAG, Names: []string{"a", "b", long}}
	r.Edges = []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: 1, Standardized: 0.9}, {Link: polydag.Link{From: "a", To: long}, Mark: "-->", Weight: 1, Standardized: 0.5}}
	for i := range 5000 {
		r.Certificate.Order = append(r.Certificate.Order, fmt.Sprintf("x%d", i))
	}
	b := must.Text(t, report.Text(r))
	for _, line := range strings.Split(b, "\n") {
		if n := utf8.RuneCountInString(line); n > 120 {
			t.Errorf("%d signs: %s", n, line)
		}
		if strings.HasPrefix(line, "  a     →  b ") && utf8.RuneCountInString(line) > 85 {
			t.Errorf("the line of short names is padded to %d signs", utf8.RuneCountInString(line))
		}
	}
	must.Contain(t, b, "  x0, x1, ", "… 4,980 more …", "x4999", "a_column_whose_name_", "ends_here")
	if strings.Contains(b, "x2500") {
		t.Error("the middle of the order is printed")
	}
}

// TestTextOfTinyChances checks that an underflowing p-value is shown as small, and that the graph without a
// budget is mentioned only with a budget.
func TestTextOfTinyChances(t *testing.T) {
	r := &polydag.Result{Kind: graph.KindDAG, Names: []string{"a", "b"}}
	r.Edges = []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Weight: 1, Standardized: 0.9, EdgeFacts: polydag.EdgeFacts{Compelled: true}, Judgement: trust.Judgement{Verdict: polydag.Weak, Confidence: 0.4, PAdjacent: 0.4}}}
	r.Environments = &polydag.Environments{Column: "site", Changed: []polydag.Changed{{Environment: "n", Column: "a"}, {Environment: "s", Column: "b", P: 2e-12, Adjusted: 8e-12}}}
	for _, limited := range []bool{false, true} {
		if limited {
			r.Budget = &method.Budget{MaxEdges: 1, Edges: 1}
		}
		text := string(render(t, "text", r))
		must.Contain(t, text, "  environment  column        p  adjusted p\n", "  n            a       <1e-300     <1e-300\n", "  s            b         2e-12       8e-12\n", "a     ?  b         0.40  +1 ")
		if strings.Contains(text, "without this limit") != limited {
			t.Errorf("budget %v: %s", limited, text)
		}
	}
}

// TestHeadline checks that the first lines are the table and the answer: the number of edges by verdict, the
// time, and the failed assumption checks.
func TestHeadline(t *testing.T) {
	edge := func(from, to string, v polydag.Verdict) polydag.Edge {
		return polydag.Edge{Link: polydag.Link{From: from, To: to}, Mark: "-->", Weight: 1, Standardized: 0.5, Judgement: trust.Judgement{Verdict: v, Confidence: 0.9, PAdjacent: 0.9}}
	}
	outcome := func(v trust.CheckOutcome, code string, columns ...string) trust.Assumption {
		return trust.Assumption{Outcome: v, Evidence: []trust.Finding{{Code: code, Columns: columns}}}
	}
	three := []polydag.Edge{edge("a", "b", polydag.Directed), edge("a", "c", polydag.Undirected), edge("b", "c", polydag.Weak)}
	for _, c := range []struct {
		want   string
		edges  []polydag.Edge
		checks []trust.Assumption
	}{
		{"9 rows, 3 columns Learned no edges in 0.3 s. Mixed model.", nil, nil},
		{"9 rows, 3 columns Learned 3 edges in 0.3 s: 1 directed, 1 undirected, 1 weak. Mixed model; 1 of 2 assumption checks failed (unmodelled nonlinearity: Fare).", three,
			[]trust.Assumption{outcome(trust.Failed, "curvature", "Fare"), {Outcome: trust.Passed}, {Outcome: trust.Untestable}, {Outcome: trust.NotChecked}}},
		{"9 rows, 3 columns Learned 1 edge in 0.3 s: 1 directed. Mixed model; all 2 assumption checks passed.", three[:1], []trust.Assumption{{Outcome: trust.Passed}, {Outcome: trust.Passed}}},
		{"9 rows, 3 columns Learned 1 edge in 0.3 s: 1 directed. Mixed model; assumptions not checked.", three[:1], []trust.Assumption{{Outcome: trust.NotChecked}}},
		{"9 rows, 3 columns Learned no edges in 0.3 s. Mixed model; 1 of 1 assumption check failed (heavy tails: a, b, c and 1 more).", nil, []trust.Assumption{outcome(trust.Failed, "heavy_tails", "a", "b", "c", "d")}},
	} {
		r := &polydag.Result{Kind: graph.KindDAG, Model: "mixed", Rows: 9, Status: "converged", Names: []string{"a", "b", "c"}, Edges: c.edges, Assumptions: c.checks}
		r.Timing.SolveSeconds = 0.31
		text, _, _ := strings.Cut(string(render(t, "text", r)), "\n\n")
		must.Same(t, strings.Join(strings.Fields(text), " "), c.want)
	}
}

// TestShortEffects checks that the effects of categories are short: the second of two categories against the first, whatever their
// rows, and the second most frequent of several against the most frequent. The standardized effect has the same sign.
func TestShortEffects(t *testing.T) {
	levels := []string{"male", "female", "other"}
	r := &polydag.Result{Kind: graph.KindDAG, Names: []string{"a", "b", "c", "d", "e"}, Edges: []polydag.Edge{
		{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Gain: 0.5, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{
			Form: method.EffectTable, FromLevels: levels, ToLevels: []string{"0", "1"}, P: [][]float64{{0.8, 0.2}, {0.26, 0.74}, {0.7, 0.3}}, Rows: []int{60, 35, 5}}}},
		{Link: polydag.Link{From: "a", To: "c"}, Mark: "-->", Gain: 0.4, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{
			Form: method.EffectTable, FromLevels: levels[:2], ToLevels: []string{"x", "y", "z"}, P: [][]float64{{0.2, 0.5, 0.3}, {0.6, 0.3, 0.1}}, Rows: []int{40, 60}}}},
		{Link: polydag.Link{From: "a", To: "d"}, Mark: "-->", Gain: 0.3, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectMeans, FromLevels: levels, Y: []float64{10, 12, 4}, Rows: []int{60, 35, 5}}}},
		{Link: polydag.Link{From: "d", To: "e"}, Mark: "-->", Gain: 0.2, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{
			Form: method.EffectTable, FromLevels: []string{"1", "5", "9"}, X: []float64{1, 5, 9}, ToLevels: []string{"0", "1"}, P: [][]float64{{0.9, 0.1}, {0.5, 0.5}, {0.3, 0.7}}}}},
		{Link: polydag.Link{From: "c", To: "d"}, Mark: "-->", Gain: 0.15, Weight: 3, Standardized: 0.25, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{
			Form: method.EffectMeans, FromLevels: []string{"no", "yes"}, Y: []float64{1, 4}, Rows: []int{30, 70}}}},
		{Link: polydag.Link{From: "b", To: "e"}, Mark: "-->", Gain: 0.1, Weight: -4.27e-17, Standardized: -3e-17},
	}}
	text := string(render(t, "text", r))
	must.Contain(t, strings.Join(strings.Fields(text), " "), " b P(1) +54 pp (female) ", " c P(x) +40 pp (female) ", " d +2 (female) ", " e P(1) +60 pp (9 against 1) ", " d +3 (yes) +0.25 ", " e 0 0.00 ")
	if !strings.Contains(strings.Join(strings.Fields(text), " "), "(a): for category a of \"from\" against the other one, or against the most frequent of several") {
		t.Errorf("the legend does not explain the parentheses:\n%s", text)
	}
}
