package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// details writes how the graph was learned, and the certificate.
func (t *printer) details(r *polydag.Result) {
	if r.Method != "" {
		t.linef("  method: %s, %s", r.Method, strings.ReplaceAll(string(r.Status), "_", " "))
	}
	if r.Optimal {
		t.linef("  globally optimal (exhaustive search)")
	}
	t.choices(r.Choices)
	for _, s := range r.Stages {
		if s.Skipped != "" {
			t.linef("  stage %s skipped: %s", s.Name, s.Skipped)
		}
	}
	t.budget(r.Budget)
	t.evidence(r.Edges)
	t.resampled(r.Confidence)
	t.certificate(r)
	if c := r.ScaleCheck; c != nil {
		t.linef("  scale check: %s", c.Sentence)
	}
}

// evidence lists what the direction of each edge rests on.
func (t *printer) evidence(edges []polydag.Edge) {
	sources := map[string]string{
		trust.FromKnowledge: "prior knowledge", trust.FromClass: "equivalence class", trust.FromVariances: "variances", trust.FromShape: "shape", trust.FromRule: "rules about real tables",
		trust.FromPrior: "prior probability", trust.FromChecks: "remark", trust.FromHidden: "hidden cause",
	}
	known := slices.DeleteFunc(slices.Clone(edges), func(e polydag.Edge) bool { return len(e.Evidence) == 0 })
	if len(known) > 0 {
		t.linef("  evidence for the direction of each edge, from → to:")
	}
	for _, e := range known[:min(len(known), maxListed)] {
		t.linef("    %s → %s: probability %s if there is an edge", brief(e.From), brief(e.To), probability(e.PDirection))
		for _, reason := range e.Evidence {
			line := cmp.Or(sources[reason.Source], reason.Source) + ": " + reason.Text
			switch {
			case reason.P != 0:
				line += fmt.Sprintf(" (probability %s)", probability(reason.P))
			case reason.Weight != 0:
				line += fmt.Sprintf(" (log odds %+.2g after the weight %.2g)", reason.LogOdds, reason.Weight)
			case reason.LogOdds != 0:
				line += fmt.Sprintf(" (log odds %+.2g)", reason.LogOdds)
			}
			t.linef("      %s", wrap(strings.Fields(line), " ", t.room(108, 8), "        "))
		}
		if e.HiddenCause != "" {
			t.linef("      hidden common cause: %s", e.HiddenCause)
		}
	}
}

// choices lists the settings that the method chose.
func (t *printer) choices(list []method.Choice) {
	label := map[string]string{
		"variance": "noise variances: ", "penalty": "penalty per edge: ", "false edges": "expected false edges: at most ",
		"alpha": "significance level: ", "ess": "equivalent sample size: ",
	}
	for _, c := range list {
		line := cmp.Or(label[c.Setting], c.Setting+": ") + c.Chosen
		var why []string
		if c.Reason != "" {
			why = append(why, plain(c.Reason))
		}
		if c.Margin != nil {
			why = append(why, margin(c))
		}
		if len(why) > 0 {
			line += " (" + strings.Join(why, "; ") + ")"
		}
		t.linef("  %s", line)
	}
}

// margin describes by how much a choice is better than the next one.
func margin(c method.Choice) string {
	if c.Setting != "variance" {
		return fmt.Sprintf("score difference to the alternative: %.4g", *c.Margin)
	}
	other := "unequal"
	if c.Chosen == other {
		other = "equal"
	}
	return fmt.Sprintf("ΔBIC = %.4g against %s", *c.Margin, other)
}

// confidence says in one line where the confidences come from.
func (t *printer) confidence(r *polydag.Result) {
	c := r.Confidence
	if c == nil {
		if slices.ContainsFunc(r.Edges, func(e polydag.Edge) bool { return e.Verdict != "" }) {
			t.linef("Confidence: calibrated, from one fit (score differences and assumption checks, no resampling; at most 0.98).")
		}
		return
	}
	if p := c.Posterior; p != nil {
		from := "all graphs"
		if !p.Exact {
			from = counted(p.Chains*p.Samples, "sampled graph")
		}
		t.linef("Confidence: %sposterior probability (%s).", calibrated(c), from)
		return
	}
	what := "bootstrap frequency"
	if c.Resampling == polydag.Halves {
		what = "frequency among half samples"
	}
	count := counted(c.Replicates, "sample")
	if c.Replicates < c.Asked {
		count = strconv.Itoa(c.Replicates) + " of " + counted(c.Asked, "sample")
	}
	t.linef("%s", wrap(strings.Fields(fmt.Sprintf("Confidence: %s%s (%s)%s.", calibrated(c), what, count, byRules(r))), " ", t.room(114, 2), "  "))
	t.reversed(c)
	if s := c.Stability; s != nil {
		t.linef("%s", wrap(strings.Fields(fmt.Sprintf("Stability selection: %s adjacent in at least %.3g of the half samples; at most %.3g of them are expected to be false.", counted(s.Selected, "pair"), s.Threshold, s.Bound)), " ", t.room(114, 2), "  "))
	}
}

// byRules says for how many directed edges the samples do not decide the direction.
func byRules(r *polydag.Result) string {
	n := 0
	for _, e := range r.Edges {
		if e.Verdict == polydag.Directed && (e.Basis == trust.ByRule || e.Basis == trust.ByModelAndRule) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of the stated directions rest on rules about real tables more than on the samples", n)
}

func calibrated(c *trust.Confidence) string {
	if c.Calibrated() {
		return "calibrated "
	}
	return ""
}

func (t *printer) resampled(c *trust.Confidence) {
	if c == nil {
		return
	}
	if p := c.Posterior; p != nil {
		switch {
		case p.Exact:
			t.linef("  posterior: all graphs (%s)", p.Score)
		case p.Chains == 1:
			t.linef("  posterior: %s of the method (%s), effective number %.1f; whether they represent the posterior is untestable", counted(p.Samples, "graph"), p.Score, p.ESS)
		default:
			agree := "chains converged"
			if !p.Converged {
				agree = "chains not converged"
			}
			t.linef("  posterior: %s (%s), %s: R-hat %.3f (target: at most 1.05), effective sample size %.0f (target: at least 200)",
				counted(p.Chains, "chain"), p.Score, agree, p.RHat, p.ESS)
		}
	} else if c.Calibration != "none" && c.Calibration != "" && c.Recalibration == nil {
		t.linef("  calibration: curve %s, fitted on simulated tables", plain(c.Calibration))
	}
	t.recalibration(c.Recalibration)
	if n := len(c.Failed); n > 0 {
		t.linef("  %s failed; the first: %s", counted(n, "sample"), plain(c.Failed[0].Why))
	}
	if c.Level > 0 {
		t.linef("  consensus graph: average frequency of the direction and of the adjacency at least %.3g", c.Level)
	}
}

// reversed names the edges whose direction follows most bootstrap samples and not the graph with the best
// score.
func (t *printer) reversed(c *trust.Confidence) {
	if len(c.Turned) == 0 {
		return
	}
	names := make([]string, 0, mostReversed)
	for _, e := range c.Turned[:min(mostReversed, len(c.Turned))] {
		names = append(names, plain(e.From)+" → "+plain(e.To))
	}
	if n := len(c.Turned) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	t.linef("%s", wrap(strings.Fields(fmt.Sprintf("Reversed, because most samples have the opposite direction: %s.", strings.Join(names, ", "))), " ", t.room(114, 2), "  "))
}

const mostReversed = 5

func (t *printer) recalibration(r *trust.Recalibration) {
	if r == nil {
		return
	}
	of := ""
	if r.Replicates > 0 {
		of = fmt.Sprintf(" with %s each", counted(r.Replicates, "bootstrap sample"))
	}
	t.linef("  calibration: %s%s; mean error of confidences above 0.1: %.3f (uncalibrated: %.3f)", counted(r.Tables, "simulated table"), of, r.After, r.Before)
}

// budget writes the share of the score gain that remains if the number or the gain of edges was limited.
func (t *printer) budget(b *method.Budget) {
	if b == nil {
		return
	}
	var bounds []string
	if b.MaxEdges > 0 {
		bounds = append(bounds, "at most "+counted(b.MaxEdges, "edge"))
	}
	if b.MinGain > 0 {
		bounds = append(bounds, fmt.Sprintf("a score gain of at least %.3g bits per row for each edge", b.MinGain))
	}
	t.linef("  limit: %s; the graph has %.1f %% of the score gain of the graph without this limit (%s): %.4g of %.4g bits per row",
		strings.Join(bounds, ", "), 100*b.Share, counted(b.Edges, "edge"), b.Bits, b.AllBits)
}

func (t *printer) environments(r *polydag.Environments) {
	if r == nil {
		return
	}
	t.linef("")
	t.linef("Mechanisms that differ between the %d environments of column %s:", len(r.Rows), brief(r.Column))
	if len(r.Changed) == 0 {
		t.linef("  none detected")
		return
	}
	rows := [][]string{{"environment", "column", "p", "adjusted p"}}
	for _, c := range r.Changed {
		rows = append(rows, []string{brief(c.Environment), brief(c.Column), chance(c.P), chance(c.Adjusted)})
	}
	t.aligned(rows, []bool{false, false, true, true})
}

// chance formats a p-value. One that underflows is shown as small and not as 0.
func chance(p float64) string {
	if p < 1e-300 {
		return "<1e-300"
	}
	return fmt.Sprintf("%.2g", p)
}

// acyclicity says how far the weights were from acyclic, before and after the threshold, and what the check of the graph found.
func (t *printer) acyclicity(r *polydag.Result) {
	c := r.Continuous
	if c == nil {
		return
	}
	line := fmt.Sprintf("Acyclicity: h = %.3g before the threshold of %.3g", c.H, c.Threshold)
	if c.HThreshold != nil {
		line += fmt.Sprintf(", %.3g after it", *c.HThreshold)
	}
	if r.Certificate.Holds {
		line += "; checked: no cycle"
	}
	if len(c.Cut) > 0 {
		line += fmt.Sprintf(", %s removed", counted(len(c.Cut), "edge"))
	}
	t.linef("%s", line+".")
}

func (t *printer) certificate(r *polydag.Result) {
	if c := r.Continuous; c != nil && len(c.Cut) > 0 {
		t.linef("  cyclic components after the threshold: %d; one cycle is:", c.CyclicComponents)
		t.linef("    %s", wrap(append(slices.Clone(c.Cycle), c.Cycle[0]), " → ", t.room(96, 4), "    "))
		t.linef("  %s removed to break all cycles:", counted(len(c.Cut), "edge"))
		for _, e := range c.Cut {
			t.linef("    %s → %s  %.4g", plain(e.From), plain(e.To), e.Weight)
		}
	}
	kind, ordered := strings.ToUpper(string(r.Kind)), len(r.Certificate.Order) > 0
	line := ""
	switch {
	case r.Kind == graph.KindAverage:
		line = "averaged graph; may contain cycles"
	case r.Certificate.Kind == graph.KindPAG && !r.Certificate.Holds:
		line = "not a valid PAG: no causal graph has all these marks; the directed edges form no cycle"
	case r.Kind == graph.KindPDAG:
		line = "PDAG: tests contradict each other or were stopped; the directed edges form no cycle"
	case r.Kind == graph.KindDAG && ordered:
		line = "acyclicity certificate (every edge points forward in this order)"
	case ordered:
		line = strings.TrimSpace(kind + " certificate (every directed edge points forward in this order)")
	default:
		line = "graph type: " + kind
	}
	if !ordered {
		t.linef("  %s", line)
		return
	}
	t.linef("  %s:", line)
	t.linef("    %s", wrap(ends(r.Certificate.Order), ", ", t.room(96, 4), "    "))
}
