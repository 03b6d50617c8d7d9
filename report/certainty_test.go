package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/trust"
)

// TestVerdicts checks that each verdict is drawn differently, that only a directed edge has an arrowhead, and
// that a given graph has no verdicts.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		verdict            polydag.Verdict
		mark               string
		text, dot, mermaid string
	}{
		{polydag.Directed, "-->", "a     →  b         0.97  +2", "verdict=directed", `n0 -->|"+2"| n1`},
		{polydag.Undirected, "-->", "a     —  b         0.97  +2", "dir=none, compelled=false, verdict=undirected", `n0 --- n1`},
		{polydag.Weak, "-->", "a     ?  b         0.97  +2", "dir=none, style=dotted, compelled", `n0 -.- n1`},
		{"", "-->", "a     →  b   +2", `compelled=false]`, `n0 -->|"+2"| n1`},
		{polydag.Undirected, "---", "a     —  b         0.97\n", "dir=none, compelled", `n0 --- n1`},
		{polydag.Weak, "---", "a     ?  b         0.97\n", "dir=none, style=dotted, compelled", `n0 -.- n1`},
		{polydag.Undirected, "o->", "a     o->  b         0.97\n", "arrowtail=odot", `n0 -->|`},
	} {
		e := polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, Mark: c.mark}
		if e.Directed() {
			e.Weight, e.Standardized = 2, 0.5
		}
		if c.verdict != "" {
			e.Judgement = trust.Judgement{Verdict: c.verdict, Confidence: 0.97, PAdjacent: 0.97, PDirection: 0.6}
		}
		r := &polydag.Result{Names: []string{"a", "b"}, Kind: "pag", Edges: []polydag.Edge{e}, Certificate: trust.Certificate{Kind: "pag", Holds: true, Order: []string{"a", "b"}}}
		var text, dot, mermaid bytes.Buffer
		if report.Text(r)(&text) != nil || report.DOT(r.Claimed())(&dot) != nil || report.Mermaid(r.Claimed())(&mermaid) != nil {
			t.Fatal("a bytes.Buffer failed")
		}
		for _, w := range [][2]string{{text.String(), c.text}, {dot.String(), c.dot}, {mermaid.String(), c.mermaid}} {
			if !strings.Contains(w[0], w[1]) {
				t.Errorf("%q: no %q in\n%s", c.verdict, w[1], w[0])
			}
		}
		if headless := strings.Contains(dot.String(), "dir=none"); c.mark == "-->" && headless != (c.verdict == polydag.Undirected || c.verdict == polydag.Weak) {
			t.Errorf("%q: drawn without a head: %v", c.verdict, headless)
		}
	}
}

// TestAssumptionLines checks that a failed assumption has a line with its figures and one with a remedy.
func TestAssumptionLines(t *testing.T) {
	r := &polydag.Result{Names: []string{"a"}, Certificate: trust.Certificate{Kind: "dag", Holds: true, Order: []string{"a"}}, Assumptions: []trust.Assumption{
		{Name: trust.GaussianNoise, Statement: "the noise is Gaussian", Outcome: trust.Failed, Sentence: "x", Evidence: []trust.Finding{
			{Code: trust.Binary, Sentence: "a has two values", WayOut: "another model"}}},
		{Name: trust.LinearEffects, Statement: "effects are linear", Outcome: trust.NotChecked, Sentence: "moments only"},
		{Name: trust.IndependentRows, Statement: "rows are independent", Outcome: trust.Passed, Sentence: "y"},
		{Name: trust.NoFeedback, Statement: "no feedback (cycles)", Outcome: trust.Untestable, Sentence: "z"},
	}}
	b := must.Text(t, report.Text(r))
	want := `
Assumption checks:
  failed       the noise is Gaussian: a has two values
               advice: another model
  passed       rows are independent
  not checked  effects are linear (moments only)
  untestable   no feedback (cycles)

Details:
`
	if !strings.Contains(b, want) {
		t.Errorf("got\n%s\nwant\n%s", b, want)
	}
}

// TestLegend checks that the legend explains what the table of edges has, and nothing else. A curve of four points is a line.
func TestLegend(t *testing.T) {
	const slopes, curves, medians, categories, values, chances, blank = "per unit of", "nonlinear effects: mean slope", "of the median", "(a): for category a", "(a against b)", "P(c):", "blank if"
	all := []string{slopes, curves, medians, categories, values, chances, blank}
	line := func(points int, median bool) *polydag.Effect {
		f := &polydag.Effect{Form: method.EffectCurve, Median: median}
		for k := range points {
			f.X, f.Y = append(f.X, float64(k)), append(f.Y, float64(k))
		}
		return f
	}
	table := &polydag.Effect{Form: method.EffectTable, FromLevels: []string{"u", "v"}, ToLevels: []string{"x", "y"}, P: [][]float64{{0.5, 0.5}, {0.25, 0.75}}, Rows: []int{4, 4}, Counts: [][]int{{2, 2}, {1, 3}}}
	numeric := &polydag.Effect{Form: method.EffectTable, FromLevels: []string{"1", "2"}, X: []float64{1, 2}, ToLevels: []string{"x", "y"}, P: table.P}
	means := &polydag.Effect{Form: method.EffectMeans, FromLevels: []string{"u", "v"}, Y: []float64{1, 2}, Rows: []int{4, 4}}
	for _, c := range []struct {
		name   string
		effect *polydag.Effect
		weight float64
		want   []string
	}{
		{"a slope", nil, 2, []string{slopes}},
		{"a line", line(4, false), 2, []string{slopes}},
		{"a curve", line(5, false), 2, []string{slopes, curves}},
		{"medians", line(4, true), 2, []string{slopes, medians}},
		{"categories", table, 2, []string{categories, chances}},
		{"values", numeric, 2, []string{values, chances}},
		{"means", means, 2, []string{categories}},
		{"no slope", nil, 0, []string{blank}},
	} {
		r := &polydag.Result{Names: []string{"a", "b", "c"}, Kind: "dag", Certificate: trust.Certificate{Kind: "dag", Holds: true, Order: []string{"a", "b", "c"}}}
		r.Edges = []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", EdgeFacts: polydag.EdgeFacts{Effect: c.effect}, Weight: c.weight, Standardized: c.weight / 4}}
		if c.weight == 0 { // another edge has a slope, so that the table has its columns
			r.Edges = append(r.Edges, polydag.Edge{Link: polydag.Link{From: "a", To: "c"}, Mark: "-->", Weight: 2, Standardized: 0.5})
			c.want = append(c.want, slopes)
		}
		text := must.Text(t, report.Text(r))
		for _, part := range all {
			wanted := false
			for _, w := range c.want {
				wanted = wanted || w == part
			}
			if strings.Contains(text, part) != wanted {
				t.Errorf("%s: the legend has %q: %v\n%s", c.name, part, !wanted, text)
			}
		}
	}
}

// TestLegendOfManyEdges checks that the legend explains what any of the edges has, at each place of the list. An effect with a fault is
// neither a curve nor the effect on a median.
func TestLegendOfManyEdges(t *testing.T) {
	curve := &polydag.Effect{Form: method.EffectCurve, Median: true, X: []float64{1, 2, 3, 4, 5}, Y: []float64{1, 2, 3, 4, 6}}
	table := &polydag.Effect{Form: method.EffectTable, FromLevels: []string{"u", "v"}, ToLevels: []string{"x", "y"}, P: [][]float64{{0.5, 0.5}, {0.25, 0.75}}, Rows: []int{4, 4}}
	numeric := &polydag.Effect{Form: method.EffectTable, FromLevels: []string{"1", "2"}, X: []float64{1, 2}, ToLevels: []string{"x", "y"}, P: table.P}
	edges := []polydag.Edge{
		{Mark: "-->", Weight: 2, Standardized: 0.5, Gain: 0.1, EdgeFacts: polydag.EdgeFacts{Effect: curve}},
		{Mark: "-->", Weight: 2, Standardized: 0.5, Gain: 0.1, EdgeFacts: polydag.EdgeFacts{Effect: table}},
		{Mark: "-->", Weight: 2, Standardized: 0.5, Gain: 0.1, EdgeFacts: polydag.EdgeFacts{Effect: numeric}},
		{Mark: "-->", Weight: 2, Standardized: 0.5, Gain: 0.1, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectTable, X: curve.X}}},
		{Mark: "---", EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectCurve, Median: true}}},
	}
	legend := func(edges []polydag.Edge) string {
		r := &polydag.Result{Names: []string{"a", "b"}, Kind: "cpdag", Edges: edges}
		_, text, _ := strings.Cut(must.Text(t, report.TextWith(r, report.TextSettings{Details: true})), "Legend:\n")
		text, _, _ = strings.Cut(text, "\nDetails:")
		return text
	}
	want := `  →            directed
  —            undirected
  effect       change of "to" per unit of "from", with the other causes of "to" fixed, if "from" acts on "to"
               (a): for category a of "from" against the other one, or against the most frequent of several
               (a against b): for "from" = a, its 95 % quantile, instead of b, its 5 % quantile
               nonlinear effects: mean slope between the 5 % and the 95 % quantile of "from"
               of the median if "to" is modelled on a log or rank scale (polydag effect has means)
               P(c): probability of category c of "to", of several the one that changes most, in percentage points (pp)
  std. effect  effect in standard deviations of both columns; blank if the effect is not a single slope
  gain         log-likelihood lost without the edge, its penalty subtracted, in bits per row; the table is sorted by it
`
	for k := range edges {
		must.Same(t, legend(append(edges[k:len(edges):len(edges)], edges[:k]...)), want, k)
	}
	want = `  →            directed
  —            undirected
  effect       change of "to" per unit of "from", with the other causes of "to" fixed, if "from" acts on "to"
  std. effect  effect in standard deviations of both columns; blank if the effect is not a single slope
  gain         log-likelihood lost without the edge, its penalty subtracted, in bits per row; the table is sorted by it
`
	must.Same(t, legend(edges[3:]), want, "effects with a fault")
}

// TestReasonsOfChecks checks that checks without a result for the same reason have it once, and that findings of a check that passed
// are not listed.
func TestReasonsOfChecks(t *testing.T) {
	not := func(statement, why string) trust.Assumption {
		return trust.Assumption{Statement: statement, Outcome: trust.NotChecked, Sentence: why}
	}
	r := &polydag.Result{Names: []string{"a"}, Assumptions: []trust.Assumption{
		{Statement: "p", Outcome: trust.Passed, Evidence: []trust.Finding{{Code: trust.Binary, Sentence: "found", WayOut: "way"}}},
		not("q", "few rows"), not("r", "few rows"), not("s", "time"), not("t", "few rows"),
	}}
	want := `
Assumption checks:
  passed       p
  not checked  q; r (few rows); s (time); t (few rows)
`
	b := must.Text(t, report.TextWith(r, report.TextSettings{}))
	if !strings.HasSuffix(b, want) {
		t.Errorf("got\n%s\nwant at the end\n%s", b, want)
	}
}
