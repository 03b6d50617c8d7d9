package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// lines joins lines and ends each of them.
func lines(list ...string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}

// TestChoices checks the words for each setting, its reason and its margin.
func TestChoices(t *testing.T) {
	half := 38.5712
	for _, c := range []struct {
		choice method.Choice
		want   string
	}{
		{method.Choice{Setting: "penalty", Chosen: "2"}, "  penalty per edge: 2"},
		{method.Choice{Setting: "false edges", Chosen: "1"}, "  expected false edges: at most 1"},
		{method.Choice{Setting: "alpha", Chosen: "0.05", Reason: "100 rows"}, "  significance level: 0.05 (100 rows)"},
		{method.Choice{Setting: "ess", Chosen: "10", Margin: &half}, "  equivalent sample size: 10 (score difference to the alternative: 38.57)"},
		{method.Choice{Setting: "depth", Chosen: "3", Reason: "time", Margin: &half}, "  depth: 3 (time; score difference to the alternative: 38.57)"},
		{method.Choice{Setting: "variance", Chosen: "equal", Margin: &half}, "  noise variances: equal (ΔBIC = 38.57 against unequal)"},
		{method.Choice{Setting: "variance", Chosen: "unequal", Margin: &half}, "  noise variances: unequal (ΔBIC = 38.57 against equal)"},
	} {
		must.Same(t, written(0, func(p *printer) { p.choices([]method.Choice{c.choice}) }), c.want+"\n")
	}
}

// TestAcyclicity checks the line on h and on the check of cycles, which every graph of a constraint has.
func TestAcyclicity(t *testing.T) {
	after := 0.25
	for want, r := range map[string]polydag.Result{
		"": {},
		"Acyclicity: h = 1e-09 before the threshold of 0.3.\n": {Continuous: &polydag.Continuous{Threshold: 0.3, H: 1e-9}},
		"Acyclicity: h = 1e-09 before the threshold of 0.3, 0.25 after it; checked: no cycle, 1 edge removed.\n": {Certificate: trust.Certificate{Holds: true},
			Continuous: &polydag.Continuous{Threshold: 0.3, H: 1e-9, HThreshold: &after, Cut: []polydag.CutEdge{{Link: polydag.Link{From: "b", To: "a"}}}}},
	} {
		must.Same(t, written(0, func(p *printer) { p.acyclicity(&r) }), want)
	}
}

// TestWordsOfDetails checks the lines on how the graph was learned.
func TestWordsOfDetails(t *testing.T) {
	after := 0.25
	for _, c := range []struct {
		name string
		r    polydag.Result
		want []string
	}{
		{"nothing", polydag.Result{Kind: graph.KindDAG}, []string{"  graph type: DAG"}},
		{"method", polydag.Result{Kind: graph.KindDAG, Method: "order", Status: "time_limit"}, []string{"  method: order, time limit", "  graph type: DAG"}},
		{"optimal", polydag.Result{Kind: graph.KindDAG, Optimal: true}, []string{"  globally optimal (exhaustive search)", "  graph type: DAG"}},
		{"stages", polydag.Result{Kind: graph.KindDAG, Stages: []polydag.Stage{{Name: "one"}, {Name: "two", Skipped: "no time"}}}, []string{"  stage two skipped: no time", "  graph type: DAG"}},
		{"order", polydag.Result{Kind: graph.KindDAG, Certificate: trust.Certificate{Order: []string{"b", "a"}}},
			[]string{"  acyclicity certificate (every edge points forward in this order):", "    b, a"}},
		{"class", polydag.Result{Kind: graph.KindCPDAG, Certificate: trust.Certificate{Order: []string{"b", "a"}}},
			[]string{"  CPDAG certificate (every directed edge points forward in this order):", "    b, a"}},
		{"average", polydag.Result{Kind: graph.KindAverage}, []string{"  averaged graph; may contain cycles"}},
		{"valid PAG", polydag.Result{Kind: graph.KindPAG, Certificate: trust.Certificate{Kind: graph.KindPAG, Holds: true}}, []string{"  graph type: PAG"}},
		{"invalid PAG", polydag.Result{Kind: graph.KindPAG, Certificate: trust.Certificate{Kind: graph.KindPAG}},
			[]string{"  not a valid PAG: no causal graph has all these marks; the directed edges form no cycle"}},
		{"invalid DAG", polydag.Result{Kind: graph.KindDAG, Certificate: trust.Certificate{Kind: graph.KindDAG}}, []string{"  graph type: DAG"}},
		{"contradictions", polydag.Result{Kind: graph.KindPDAG}, []string{"  PDAG: tests contradict each other or were stopped; the directed edges form no cycle"}},
		{"cycles", polydag.Result{Kind: graph.KindDAG, Continuous: &polydag.Continuous{Threshold: 0.3, H: 1e-9, HThreshold: &after, CyclicComponents: 2, Cycle: []string{"a", "b"},
			Cut: []polydag.CutEdge{{Link: polydag.Link{From: "b", To: "a"}, Weight: 0.12345}}}},
			[]string{"  cyclic components after the threshold: 2; one cycle is:", "    a → b → a", "  1 edge removed to break all cycles:", "    b → a  0.1235", "  graph type: DAG"}},
	} {
		must.Same(t, written(0, func(p *printer) { p.details(&c.r) }), lines(c.want...), c.name)
	}
}

// TestEvidence checks that the reasons of up to 60 edges are listed, with a probability unless the reason is a remark.
func TestEvidence(t *testing.T) {
	edges := []polydag.Edge{{Link: polydag.Link{From: "c", To: "d"}}}
	for k := range 61 {
		e := polydag.Edge{Link: polydag.Link{From: fmt.Sprint("a", k), To: "b"}, Judgement: trust.Judgement{PDirection: 0.9}}
		e.Evidence = []trust.Reason{{Source: trust.FromShape, LogOdds: 0.7, Weight: 0.25, Text: "loss"}}
		edges = append(edges, e)
	}
	edges[1].Evidence = append(edges[1].Evidence, trust.Reason{Source: trust.FromChecks, Text: "a check"}, trust.Reason{Source: trust.FromPrior, Text: "odds"}, trust.Reason{Source: "new", LogOdds: -0.5, Text: "x"}, trust.Reason{Source: trust.FromHidden, P: 0.25, Text: "y"})
	edges[1].HiddenCause = "possible"
	want := []string{"  evidence for the direction of each edge, from → to:",
		"    a0 → b: probability 0.90 if there is an edge",
		"      shape: loss (log odds +0.7 after the weight 0.25)",
		"      remark: a check",
		"      prior probability: odds",
		"      new: x (log odds -0.5)",
		"      hidden cause: y (probability 0.25)",
		"      hidden common cause: possible"}
	for k := 1; k < 60; k++ {
		want = append(want, fmt.Sprintf("    a%d → b: probability 0.90 if there is an edge", k), "      shape: loss (log odds +0.7 after the weight 0.25)")
	}
	must.Same(t, written(0, func(p *printer) { p.evidence(edges) }), lines(want...))
	must.Same(t, written(0, func(p *printer) { p.evidence(edges[:1]) }), "", "an edge without evidence")
}

// TestSourceOfConfidence checks the sentence on where the confidences come from, and its details.
func TestSourceOfConfidence(t *testing.T) {
	learned := &trust.Recalibration{Tables: 20, Replicates: 1, After: 0.02, Before: 0.1}
	sampled := func(exact bool, chains int, converged bool) *trust.PosteriorSummary {
		return &trust.PosteriorSummary{Score: "BGe", Exact: exact, Chains: chains, Samples: 50, RHat: 1.01, ESS: 250.44, Converged: converged}
	}
	for _, c := range []struct {
		name    string
		c       *trust.Confidence
		say     string
		details []string
	}{
		{"one fit", nil, "Confidence: calibrated, from one fit (score differences and assumption checks, no resampling; at most 0.98).", nil},
		{"frequencies", &trust.Confidence{Replicates: 200, Asked: 200, Calibration: "none"}, "Confidence: bootstrap frequency (200 samples).", nil},
		{"a calibration without a name", &trust.Confidence{Replicates: 200, Asked: 200}, "Confidence: calibrated bootstrap frequency (200 samples).", nil},
		{"a curve", &trust.Confidence{Replicates: 1, Asked: 1, Calibration: "s1"}, "Confidence: calibrated bootstrap frequency (1 sample).", []string{"  calibration: curve s1, fitted on simulated tables"}},
		{"fewer than asked", &trust.Confidence{Replicates: 150, Asked: 200, Calibration: "none", Failed: []trust.Failure{{Why: "singular"}, {Why: "time"}}}, "Confidence: bootstrap frequency (150 of 200 samples).",
			[]string{"  2 samples failed; the first: singular"}},
		{"halves", &trust.Confidence{Replicates: 9, Asked: 9, Calibration: "none", Resampling: trust.Halves, Level: 0.6125}, "Confidence: frequency among half samples (9 samples).",
			[]string{"  consensus graph: average frequency of the direction and of the adjacency at least 0.613"}},
		{"simulated tables", &trust.Confidence{Replicates: 9, Asked: 9, Calibration: "s1", Recalibration: learned}, "Confidence: calibrated bootstrap frequency (9 samples).",
			[]string{"  calibration: 20 simulated tables with 1 bootstrap sample each; mean error of confidences above 0.1: 0.020 (uncalibrated: 0.100)"}},
		{"all graphs", &trust.Confidence{Calibration: "none", Posterior: sampled(true, 4, true)}, "Confidence: posterior probability (all graphs).", []string{"  posterior: all graphs (BGe)"}},
		{"one chain", &trust.Confidence{Calibration: "none", Posterior: sampled(false, 1, true)}, "Confidence: posterior probability (50 sampled graphs).",
			[]string{"  posterior: 50 graphs of the method (BGe), effective number 250.4; whether they represent the posterior is untestable"}},
		{"two chains", &trust.Confidence{Calibration: "none", Posterior: sampled(false, 2, true)}, "Confidence: posterior probability (100 sampled graphs).",
			[]string{"  posterior: 2 chains (BGe), chains converged: R-hat 1.010 (target: at most 1.05), effective sample size 250 (target: at least 200)"}},
		{"chains that differ", &trust.Confidence{Calibration: "s1", Posterior: sampled(false, 3, false), Recalibration: &trust.Recalibration{Tables: 1, After: 0.02, Before: 0.1}}, "Confidence: calibrated posterior probability (150 sampled graphs).",
			[]string{"  posterior: 3 chains (BGe), chains not converged: R-hat 1.010 (target: at most 1.05), effective sample size 250 (target: at least 200)",
				"  calibration: 1 simulated table; mean error of confidences above 0.1: 0.020 (uncalibrated: 0.100)"}},
	} {
		r := &polydag.Result{Confidence: c.c, Edges: []polydag.Edge{{}, {Judgement: trust.Judgement{Verdict: trust.Weak}}}}
		must.Same(t, written(0, func(p *printer) { p.confidence(r) }), c.say+"\n", c.name)
		must.Same(t, written(0, func(p *printer) { p.resampled(c.c) }), lines(c.details...), c.name)
	}
	must.Same(t, written(0, func(p *printer) { p.confidence(&polydag.Result{Edges: make([]polydag.Edge, 2)}) }), "", "edges without a verdict")
}

// TestByRules checks that only directed edges whose direction rests on rules about real tables count.
func TestByRules(t *testing.T) {
	r := &polydag.Result{}
	must.Same(t, byRules(r), "", "no edges")
	for _, v := range []trust.Verdict{trust.Directed, trust.Undirected, trust.Weak} {
		for _, b := range []trust.Basis{trust.ByModel, trust.ByRule, trust.ByModelAndRule, trust.ByKnowledge} {
			r.Edges = append(r.Edges, polydag.Edge{Judgement: trust.Judgement{Verdict: v, Basis: b}})
		}
	}
	must.Same(t, byRules(r), "; 2 of the stated directions rest on rules about real tables more than on the samples")
}

// TestWordsOfBudget checks that each limit is named only if it was set.
func TestWordsOfBudget(t *testing.T) {
	const graph = "; the graph has 75.0 % of the score gain of the graph without this limit (4 edges): 1.5 of 2 bits per row\n"
	for _, c := range []struct {
		edges int
		gain  float64
		want  string
	}{
		{1, 0, "  limit: at most 1 edge"},
		{0, 0.01, "  limit: a score gain of at least 0.01 bits per row for each edge"},
		{3, 0.01, "  limit: at most 3 edges, a score gain of at least 0.01 bits per row for each edge"},
	} {
		b := &method.Budget{MaxEdges: c.edges, MinGain: c.gain, Edges: 4, Bits: 1.5, AllBits: 2, Share: 0.75}
		must.Same(t, written(0, func(p *printer) { p.budget(b) }), c.want+graph)
	}
}

// TestUnchangedEnvironments checks the words if no mechanism differs, and that p-values from 1e-300 on are written.
func TestUnchangedEnvironments(t *testing.T) {
	r := &polydag.Environments{Column: "site", Rows: make([]polydag.EnvironmentRows, 3)}
	want := lines("", "Mechanisms that differ between the 3 environments of column site:", "  none detected")
	must.Same(t, written(0, func(p *printer) { p.environments(r) }), want)
	for p, want := range map[float64]string{0: "<1e-300", 0.9e-300: "<1e-300", 1e-300: "1e-300", 0.0123: "0.012"} {
		must.Same(t, chance(p), want, p)
	}
}

// broken breaks a list of words into lines of at most room characters. All lines but the first start with indent.
func broken(words []string, sep string, room int, indent string) string {
	text, line := "", words[0]
	for _, w := range words[1:] {
		if utf8.RuneCountInString(line+sep+w) <= room {
			line += sep + w
			continue
		}
		text, line = text+strings.TrimRight(line+sep, " ")+"\n"+indent, w
	}
	return text + line + "\n"
}

// TestLineWidths checks that long lines use the whole width, and a given number of characters if the width is unknown.
func TestLineWidths(t *testing.T) {
	var names []string
	for k := range 100 {
		names = append(names, fmt.Sprint(k*k))
	}
	long := strings.Join(names[:60], " ")
	turned := &trust.Confidence{Replicates: 9, Asked: 9, Calibration: "none"}
	for k := range 5 {
		turned.Turned = append(turned.Turned, polydag.Link{From: names[k+50] + "_" + names[k], To: names[k+60] + "_" + names[k+40]})
	}
	pairs := make([]string, 5)
	for k, e := range turned.Turned {
		pairs[k] = e.From + " → " + e.To
	}
	ruled := &polydag.Result{Confidence: &trust.Confidence{Replicates: 9, Asked: 9, Calibration: "none", Stability: &trust.Stability{Selected: 12, Threshold: 0.75, Bound: 1.5}}}
	ruled.Edges = []polydag.Edge{{Judgement: trust.Judgement{Verdict: trust.Directed, Basis: trust.ByRule}}}
	opposite := &polydag.Result{}
	var said []string
	for k := range 9 {
		opposite.Edges = append(opposite.Edges, polydag.Edge{Link: polydag.Link{From: names[k], To: names[k+40]}, Judgement: trust.Judgement{Verdict: trust.Undirected, PAdjacent: 1, PDirection: 0.1, Evidence: []trust.Reason{{}}}})
		said = append(said, names[k+40]+" → "+names[k]+" 0.90")
	}
	check := []trust.Assumption{{Statement: "linear", Outcome: trust.Failed, Evidence: []trust.Finding{{Sentence: long, WayOut: long}}}, {Statement: long, Outcome: trust.Passed}}
	ordered := &polydag.Result{Kind: graph.KindDAG, Certificate: trust.Certificate{Order: names}}
	cyclic := &polydag.Result{Kind: graph.KindDAG, Continuous: &polydag.Continuous{CyclicComponents: 1, Cycle: names[:60], Cut: make([]polydag.CutEdge, 1)}}
	evident := []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Judgement: trust.Judgement{PDirection: 0.9, Evidence: []trust.Reason{{Source: trust.FromChecks, Text: long}}}}}
	text := func(r *polydag.Result) func(*printer) {
		return func(p *printer) { p.err = TextWith(r, TextSettings{Width: p.width})(p.w) }
	}
	strong := &polydag.Result{Names: []string{"a", "b"}, Rows: 9, Model: "mixed", Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Gain: 1}},
		Assumptions: []trust.Assumption{{Outcome: trust.Failed, Evidence: []trust.Finding{{Code: trust.Skewed, Columns: []string{names[99], names[98], names[97]}}, {Code: trust.HeavyTails, Columns: []string{names[96], names[95], names[94]}}}}}}
	strong.Table.Name = strings.TrimSpace(strings.Repeat("a b ", 40))
	const in4, in8, in15 = "    ", "        ", "               "
	for _, c := range []struct {
		name          string
		write         func(*printer)
		before        string
		words         []string
		sep           string
		usual, beside int
		indent        string
	}{
		{"source", func(p *printer) { p.confidence(ruled) }, "", strings.Fields("Confidence: bootstrap frequency (9 samples); 1 of the stated directions rest on rules about real tables more than on the samples."), " ", 114, 2, "  "},
		{"stability", func(p *printer) { p.confidence(ruled) }, "", strings.Fields("Stability selection: 12 pairs adjacent in at least 0.75 of the half samples; at most 1.5 of them are expected to be false."), " ", 114, 2, "  "},
		{"reversed", func(p *printer) { p.reversed(turned) }, "", strings.Fields("Reversed, because most samples have the opposite direction: " + strings.Join(pairs, ", ") + "."), " ", 114, 2, "  "},
		{"opposite", func(p *printer) { p.opposite(opposite) }, "", strings.Fields("Undirected, since the graph with the best score has the opposite of the probable direction (with the probability of edge and direction): " + strings.Join(said, ", ") + "."), " ", 114, 2, "  "},
		{"directions", func(p *printer) { p.directions(ruled) }, "", strings.Fields("Directions (→): 1 mainly by rules about real tables ( → ). " + rules + "."), " ", 114, 2, "  "},
		{"failed check", func(p *printer) { p.assumptions(check, true) }, "  failed       ", strings.Fields("linear: " + long), " ", 96, 15, in15},
		{"advice", func(p *printer) { p.assumptions(check, true) }, in15, strings.Fields("advice: " + long), " ", 94, 17, in15 + "  "},
		{"passed check", func(p *printer) { p.assumptions(check, true) }, "  passed       ", names[:60], " ", 96, 15, in15},
		{"order", func(p *printer) { p.certificate(ordered) }, in4, names, ", ", 96, 4, in4},
		{"cycle", func(p *printer) { p.certificate(cyclic) }, in4, append(names[:60:60], names[0]), " → ", 96, 4, in4},
		{"legend", func(p *printer) { p.full = true; p.edges(strong) }, "  gain  ", strings.Fields("log-likelihood lost without the edge, its penalty subtracted, in bits per row; the table is sorted by it"), " ", 114, 8, in8},
		{"table", text(strong), "", strings.Fields(strong.Table.Name + ": 9 rows, 2 columns"), " ", 116, 2, "  "},
		{"headline", text(strong), "", strings.Fields(fmt.Sprintf("Learned 1 edge. Mixed model; 1 of 1 assumption check failed (%s: 9801, 9604, 9409; %s: 9216, 9025, 8836).", trust.CodeWords(trust.Skewed), trust.CodeWords(trust.HeavyTails))), " ", 116, 2, "  "},
		{"evidence", func(p *printer) { p.evidence(evident) }, "      ", strings.Fields("remark: " + long), " ", 108, 8, in8},
	} {
		for width := 79; width <= 121; width++ {
			room := width - c.beside
			if width == 79 {
				width, room = 0, c.usual
			}
			want := c.before + broken(c.words, c.sep, room, c.indent)
			if got := written(width, c.write); !strings.Contains(got, want) {
				t.Errorf("%s, width %d: got\n%s\nwant\n%s", c.name, width, got, want)
				break
			}
			if width == 0 {
				width = 79
			}
		}
	}
}
