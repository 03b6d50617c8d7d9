package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/solve"
	"github.com/polydag/polydag/trust"
)

// TestTableLine checks each part of the description of the table.
func TestTableLine(t *testing.T) {
	nodes := func(kinds ...dataset.VariableKind) (list []polydag.Node) {
		for _, k := range kinds {
			list = append(list, polydag.Node{Kind: k})
		}
		return list
	}
	for _, c := range []struct {
		name string
		r    polydag.Result
		want string
	}{
		{"no rows", polydag.Result{Names: []string{"a"}}, ""},
		{"one row", polydag.Result{Names: []string{"a"}, Rows: 1}, "1 row, 1 column"},
		{"a name", polydag.Result{Rows: 9, Table: polydag.Provenance{Name: "t.csv"}}, "t.csv: 9 rows, 0 columns"},
		{"kinds", polydag.Result{Rows: 9, Nodes: nodes(kind.Continuous, kind.Count, kind.Categorical, kind.Binary, kind.Ordinal, "", kind.Categorical)}, "9 rows, 0 columns (2 numeric, 1 ordinal, 1 binary, 2 categorical)"},
		{"unknown kinds", polydag.Result{Rows: 9, Nodes: nodes("", "")}, "9 rows, 0 columns"},
		{"groups", polydag.Result{Rows: 9, Table: polydag.Provenance{Groups: &dataset.Groups{Rows: 9, EffectiveRows: 8}}}, "9 rows (effective sample size: 8), 0 columns"},
		{"independent rows", polydag.Result{Rows: 9, Table: polydag.Provenance{Groups: &dataset.Groups{Rows: 9, EffectiveRows: 9}}}, "9 rows, 0 columns"},
		{"one series", polydag.Result{Rows: 9, Time: &polydag.TimeSeries{Lags: 1, Step: "1 h", SeriesCount: 1}}, "9 rows, 0 columns, 1 lag (step 1 h)"},
		{"two series", polydag.Result{Rows: 9, Time: &polydag.TimeSeries{Lags: 2, Step: "1 h", SeriesCount: 2}}, "9 rows, 0 columns, 2 lags (step 1 h), 2 series"},
		{"excluded", polydag.Result{Rows: 9, Table: polydag.Provenance{Excluded: []dataset.Excluded{{Name: "id", Reason: "identifier"}}}}, "9 rows, 0 columns, 1 column excluded (id: identifier)"},
		{"dropped", polydag.Result{Rows: 9, Table: polydag.Provenance{Reading: map[string][]string{"drop": {"u", "v"}}}}, "9 rows, 0 columns, without u, v (dropped on request)"},
		{"dropped with commas", polydag.Result{Rows: 9, Table: polydag.Provenance{Reading: map[string][]string{"drop": {"u,v", "w, x"}}}}, "9 rows, 0 columns, without u, v, w and 1 more (dropped on request)"},
	} {
		must.Same(t, tableLine(&c.r), c.want, c.name)
	}
}

// TestNextCommands checks that descriptions are aligned, and omitted if the line is longer than the width.
func TestNextCommands(t *testing.T) {
	list := [][2]string{{"one", "first"}, {"command", "second"}, {"two", "x"}}
	for width, want := range map[int]string{
		0:  "\nNext:  one      # first\n       command  # second\n       two      # x\n",
		24: "\nNext:  one      # first\n       command  # second\n       two      # x\n",
		23: "\nNext:  one      # first\n       command\n       two      # x\n",
		22: "\nNext:  one\n       command\n       two      # x\n",
	} {
		must.Same(t, written(width, func(p *printer) { p.next(list) }), want, width)
	}
	must.Same(t, written(0, func(p *printer) { p.next(nil) }), "", "no commands")
}

// TestStoppedRuns checks that a run that did not finish is named, with its cause.
func TestStoppedRuns(t *testing.T) {
	for _, c := range []struct {
		status solve.Status
		cause  string
		want   string
	}{
		{"", "", "A graph with no edges.\n"},
		{solve.Converged, "", "A graph with no edges.\n"},
		{solve.Completed, "", "A graph with no edges.\n"},
		{"time_limit", "", "A graph with no edges.\nStopped early (time limit): this is the best graph found so far.\n"},
		{"time_limit", "5 s", "A graph with no edges.\nStopped early (time limit): this is the best graph found so far.\n  5 s\n"},
	} {
		var b strings.Builder
		if err := TextWith(&polydag.Result{Status: c.status, Cause: c.cause}, TextSettings{})(&b); err != nil || b.String() != c.want {
			t.Errorf("%q: %v, got\n%s\nwant\n%s", c.status, err, b.String(), c.want)
		}
	}
}

// TestHeadlineWithoutModel checks the first letter of the summary of the checks.
func TestHeadlineWithoutModel(t *testing.T) {
	r := &polydag.Result{Assumptions: []trust.Assumption{{Outcome: trust.Passed}}}
	must.Same(t, headline(r), "A graph with no edges. The assumption check passed.")
}

// TestEdgesByWidth checks the columns and the length of names and effects in narrow and in wide lines.
func TestEdgesByWidth(t *testing.T) {
	long := strings.Repeat("1234567890", 5)
	r := &polydag.Result{Edges: []polydag.Edge{
		{Link: polydag.Link{From: long, To: "to"}, Mark: "-->", Weight: 2, Standardized: 0.5, Gain: 0.5},
		{Link: polydag.Link{From: "c", To: long}, Mark: "-->", Gain: 0.25, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectMeans, FromLevels: []string{"u", "1234567890"}, Y: []float64{1, 3}, Rows: []int{9, 4}}}},
		{Link: polydag.Link{From: "d", To: "e"}, Mark: "-->", Gain: 0.125, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectTable, FromLevels: []string{"1", "2"}, X: []float64{1, 2}, ToLevels: []string{"x", "y"}, P: [][]float64{{0.5, 0.5}, {0.25, 0.75}}}}},
	}}
	for _, c := range []struct {
		width, name int // characters of a long name
		narrow      bool
	}{
		{0, 48, false}, {161, 48, false}, {160, 47, false}, {119, 27, false}, {90, 12, false}, {89, 23, true}, {80, 18, true}, {60, 8, true},
	} {
		text := written(c.width, func(p *printer) { p.full = true; p.edges(r) })
		rows := strings.Split(text, "\n")
		head, effects := "from → to effect std. effect gain (bits/row)", []string{"+2", "+2 (1234567890)", "P(y) +25 pp (2 against 1)"}
		words := "(a against b): for"
		if c.narrow {
			head, effects = "from → to effect gain", []string{"+2", "+2 (1234…7890)", "P(y) +25"}
			words = "probabilities: for the 95 % quantile"
		}
		must.Same(t, strings.Join(strings.Fields(strings.Replace(rows[1], " to ", " → to ", 1)), " "), head, c.width)
		for k, want := range effects {
			if !strings.Contains(rows[k+2], "  "+want+"  ") {
				t.Errorf("width %d: no %q in %q", c.width, want, rows[k+2])
			}
		}
		must.Same(t, len([]rune(strings.Fields(rows[2])[0])), c.name, c.width)
		if got := strings.Join(strings.Fields(text), " "); !strings.Contains(got, words) {
			t.Errorf("width %d: no %q in\n%s", c.width, words, text)
		}
	}
	r.Edges = r.Edges[:1]
	r.Edges[0].Judgement = trust.Judgement{Verdict: trust.Directed, Confidence: 0.9, Basis: trust.ByNames}
	text := written(80, func(p *printer) { p.full = true; p.edges(r) })
	for _, want := range []string{"confidence  basis  effect", "        0.90  names  +2", "  basis       what the direction mainly rests on: names = names of the columns\n"} {
		if !strings.Contains(text, want) || len([]rune(strings.Fields(text)[5])) > 15 {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	r.Edges[0].Judgement = trust.Judgement{}
	if text := written(80, func(p *printer) { p.full = true; p.edges(r) }); strings.Contains(text, "probabilities") {
		t.Errorf("the legend of a slope: %s", text)
	}
	if text := written(80, func(p *printer) { p.full = true; p.edges(&polydag.Result{}) }); text != "" {
		t.Errorf("no edges: %q, want nothing", text)
	}
}

// TestImprobableEdges checks that only weak edges are omitted for a low confidence.
func TestImprobableEdges(t *testing.T) {
	r := &polydag.Result{}
	for k := range 8 {
		r.Edges = append(r.Edges, polydag.Edge{Link: polydag.Link{From: fmt.Sprint("from", k), To: "to"}, Mark: "---", Judgement: trust.Judgement{Verdict: trust.Undirected, Confidence: 0.4}})
	}
	if text := written(0, func(p *printer) { p.edges(r) }); strings.Count(text, "  from") != 9 {
		t.Errorf("want all 8 edges in\n%s", text)
	}
}

// TestLegendOfVerdicts checks the words on the confidence and on the effect for each set of verdicts, and that a table without slopes does
// not mention them.
func TestLegendOfVerdicts(t *testing.T) {
	const given, either = "probability of the edge and its direction for →", "of an edge in either direction"
	for _, c := range []struct {
		verdicts   []trust.Verdict
		confidence string
		acts       bool
	}{
		{[]trust.Verdict{trust.Directed}, given, false},
		{[]trust.Verdict{trust.Undirected}, "probability " + either, true},
		{[]trust.Verdict{trust.Weak}, "probability " + either, true},
		{[]trust.Verdict{trust.Undirected, trust.Weak}, "probability " + either, true},
		{[]trust.Verdict{trust.Directed, trust.Undirected}, given + ", " + either + " for —", true},
		{[]trust.Verdict{trust.Directed, trust.Weak}, given + ", " + either + " for ?", true},
		{[]trust.Verdict{trust.Directed, trust.Undirected, trust.Weak}, given + ", " + either + " for — and ?", true},
	} {
		r := &polydag.Result{}
		for _, v := range c.verdicts {
			r.Edges = append(r.Edges, polydag.Edge{Mark: "-->", Weight: 2, Standardized: 0.5, Judgement: trust.Judgement{Verdict: v, Confidence: 0.9}})
		}
		text := written(0, func(p *printer) { p.full = true; p.edges(r) })
		if !strings.Contains(text, "  confidence   "+c.confidence+"\n") || strings.Contains(text, `, if "from" acts on "to"`) != c.acts {
			t.Errorf("%v: want %q and a condition: %v in\n%s", c.verdicts, c.confidence, c.acts, text)
		}
	}
	means := polydag.Edge{Mark: "-->", Gain: 1, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectMeans, FromLevels: []string{"u", "v"}, Y: []float64{1, 2}, Rows: []int{4, 4}}}}
	turns := polydag.Edge{Mark: "-->", Gain: 1, EdgeFacts: polydag.EdgeFacts{Effect: &polydag.Effect{Form: method.EffectCurve, X: []float64{0, 1, 2, 3, 4}, Y: []float64{0, 6, 8, 6, 0}}}}
	slope := polydag.Edge{Mark: "-->", Weight: 2, Standardized: 0.5}
	for _, c := range []struct {
		name         string
		edges        []polydag.Edge
		slope, blank bool
	}{{"categories and an edge without effect", []polydag.Edge{means, {Mark: "-->"}}, false, false}, {"a curve that turns and a slope", []polydag.Edge{turns, slope}, true, true}, {"a slope", []polydag.Edge{slope}, true, false}} {
		text := written(0, func(p *printer) { p.full = true; p.edges(&polydag.Result{Edges: c.edges}) })
		if strings.Contains(text, "per unit") != c.slope || strings.Contains(text, "blank") != c.blank || strings.Contains(text, "mean slope") {
			t.Errorf("%s: want slopes %v, blank cells %v and no mean slope in\n%s", c.name, c.slope, c.blank, text)
		}
	}
}

// TestFailedChecks checks that a check that failed lists the columns of each finding, and repeats no advice.
func TestFailedChecks(t *testing.T) {
	list := []trust.Assumption{{Statement: "s", Outcome: trust.Failed, Evidence: []trust.Finding{
		{Code: trust.Skewed, Columns: []string{"a", "b"}, WayOut: "do this"}, {Code: trust.HeavyTails, WayOut: "do this"}, {Code: trust.Binary, Columns: []string{"c"}, WayOut: "do that"}}}}
	want := lines("", "Assumption checks:",
		"  failed       s: "+trust.CodeWords(trust.Skewed)+" (a, b)", "               advice: do this",
		"               and "+trust.CodeWords(trust.HeavyTails), "               advice: as above",
		"               and "+trust.CodeWords(trust.Binary)+" (c)", "               advice: do that")
	must.Same(t, written(0, func(p *printer) { p.assumptions(list, false) }), want)
}

// TestAlignedPriors checks the table of priors, and that it is omitted if the data overruled none and none decided.
func TestAlignedPriors(t *testing.T) {
	prior := func(from string, result, without trust.PairState, o trust.Outcome) trust.PriorOutcome {
		return trust.PriorOutcome{Link: polydag.Link{From: from, To: "b"}, Prior: 0.8, Result: result, Without: without, Outcome: o}
	}
	all := []trust.PriorOutcome{
		prior("longer", trust.PairForward, trust.PairReverse, trust.PriorOverruled),
		prior("a", trust.PairUndirected, trust.PairWeak, trust.PriorDecided),
		prior("c", trust.PairNone, trust.PairForward, trust.PriorAgrees),
		prior("d", trust.PairNone, trust.PairForward, trust.PriorOpen), prior("e", trust.PairNone, trust.PairForward, trust.PriorOpen),
	}
	want := `Priors: 1 overruled by the data, 1 decided the edge, 1 agree with the data, 2 open.
  edge        prior  result      without priors  outcome
  longer → b  0.8    longer → b  b → longer      data overruled the prior
  a → b       0.8    undirected  weak edge       prior decided
`
	must.Same(t, written(0, func(p *printer) { p.priors(all) }), want)
	must.Same(t, written(0, func(p *printer) { p.priors(all[2:]) }), "Priors: 0 overruled by the data, 0 decided the edge, 1 agree with the data, 2 open.\n")
}
