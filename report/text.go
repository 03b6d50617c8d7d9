package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/trust"
)

// maxListed is how many edges Text prints before it refers to the JSON for the rest.
const maxListed = 60

// Text writes the result for a person: what was done, the edges by strength, and the certificate.
func Text(r *polydag.Result, words ...Words) func(io.Writer) error {
	return TextWidth(r, 0, words...)
}

// TextWidth is Text for lines of at most so many signs; 0 is for a file, whose long lines stay whole.
func TextWidth(r *polydag.Result, width int, words ...Words) func(io.Writer) error {
	return func(w io.Writer) error {
		t := &printer{w: Fold(w, width), words: first(words), width: width}
		counted := ""
		if c := r.Table.Clusters; c != nil && c.EffectiveRows < c.Rows {
			counted = fmt.Sprintf(", which count as %d,", c.EffectiveRows)
		}
		t.linef("%s on %d rows%s × %d columns: %s, %.2f s", r.Method, r.Rows, counted, len(r.Names), r.Status, r.Timing.SolveSeconds)
		if r.Cause != "" {
			t.linef("  %s", r.Cause)
		}
		if r.Optimal {
			t.linef("no DAG has a better score: the search was exhaustive")
		}
		t.choices(r.Choices)
		for _, s := range r.Stages {
			if s.Skipped != "" {
				t.linef("stage %s skipped: %s", s.Name, s.Skipped)
			}
		}
		for _, warning := range r.Warnings {
			t.linef("warning: %s", warning)
		}
		t.assumptions(r.Assumptions)
		t.linef("")
		t.edges(r)
		t.linef("")
		t.certificate(r)
		t.regimes(r.Regimes)
		if c := r.ScaleCheck; c != nil {
			t.linef("")
			t.linef("Scale check: %s", c.Sentence)
		}
		return t.err
	}
}

// choices says what was left to the method.
func (t *printer) choices(list []method.Choice) {
	for _, c := range list {
		line := c.Setting + ": " + c.Chosen
		if c.Reason != "" {
			line += ", " + plain(c.Reason)
		}
		if c.Margin != nil {
			line += fmt.Sprintf(" (better than the other by %.4g)", *c.Margin)
		}
		t.linef("%s", line)
	}
}

type printer struct {
	w     io.Writer
	words Words
	width int // of a line; 0 where it is not known
	err   error
}

// room is how many signs a line has beside so many: usual of them where the width is not known.
func (t *printer) room(usual, beside int) int {
	if t.width == 0 {
		return usual
	}
	return max(t.width-beside, 20)
}

// names is how many signs a name in a table has, beside so many other signs of a line with so many names.
func (t *printer) names(beside, count int) int {
	if t.width == 0 {
		return longest
	}
	return min(longest, max(8, (t.width-beside)/count))
}

func (t *printer) linef(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format+"\n", args...)
	}
}

func (t *printer) edges(r *polydag.Result) {
	if len(r.Edges) == 0 {
		t.linef("no edges")
		t.budget(r)
		return
	}
	byStrength := slices.Clone(r.Edges)
	slices.SortStableFunc(byStrength, func(a, b polydag.Edge) int { return cmp.Compare(b.Bits(), a.Bits()) })
	shown := byStrength[:min(len(byStrength), maxListed)]
	judged := slices.ContainsFunc(r.Edges, func(e polydag.Edge) bool { return e.Verdict != "" })
	rows := [][]string{{"from", "", "to"}}
	if judged {
		rows[0] = append(rows[0], "confidence")
	}
	rows[0] = append(rows[0], "effect", "std. effect", "gain (bits/row)")
	for _, e := range shown {
		row := []string{brief(e.From), arrow(e), brief(e.To)}
		if judged {
			row = append(row, fmt.Sprintf("%.2f", e.Confidence))
		}
		weight, standardized := "", ""
		if e.Weight != 0 {
			weight, standardized = fmt.Sprintf("%+.4g", e.Weight), fmt.Sprintf("%+.2f", e.Standardized)
		}
		rows = append(rows, append(row, weight, standardized, fmt.Sprintf("%.3f", e.Bits())))
	}
	t.grid(rows)
	if more := len(byStrength) - len(shown); more > 0 {
		t.linef("  … and %d more; %s writes them all", more, t.setting(fault.Use("output")))
	}
	t.legend(r.Edges)
	t.budget(r)
	t.confidence(r)
}

// grid writes rows with aligned columns, the first of them the header.
func (t *printer) grid(rows [][]string) {
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for k, cell := range row {
			wide[k] = min(mostPad, max(wide[k], utf8.RuneCountInString(cell)))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for k, cell := range row {
			b.WriteString("  " + pad(cell, wide[k]))
		}
		t.linef("%s", strings.TrimRight(b.String(), " "))
	}
}

// posterior says what the confidences are where graphs were drawn.
func (t *printer) posterior(c *trust.Confidence) {
	p := c.Posterior
	what := "the posterior probability"
	if c.Recalibration != nil {
		what = "from the posterior probability"
	}
	if p.Exact {
		t.linef("confidence: %s of the edge (%s), from all graphs", what, p.Score)
	} else {
		t.linef("confidence: %s of the edge (%s), from %s of %s", what, p.Score, counted(p.Chains, "chain"), counted(p.Samples, "graph"))
		agree := "the chains agree"
		if !p.Converged {
			agree = "the chains do not agree yet"
		}
		t.linef("  %s: R-hat %.3f (want at most 1.05), effective sample size %.0f (want at least 200)", agree, p.RHat, p.ESS)
	}
	t.recalibration(c.Recalibration)
	if c.Level > 0 {
		t.linef("  the graph is the consensus of the graphs drawn at %.3g", c.Level)
	}
	t.turned(c)
}

// confidence says what the confidences are.
func (t *printer) confidence(r *polydag.Result) {
	c := r.Confidence
	if c == nil {
		return
	}
	if c.Posterior != nil {
		t.posterior(c)
		return
	}
	how := "bootstrap samples of " + plain(c.Unit)
	if c.Resampling == polydag.Halves {
		how = "halves of " + plain(c.Unit) + " in pairs"
	}
	count := strconv.Itoa(c.Replicates)
	if c.Replicates < c.Asked {
		count += " of " + strconv.Itoa(c.Asked)
	}
	what := "the share of"
	switch {
	case c.Recalibration != nil:
		what = "from the share (curve learned on tables simulated like this one) of"
	case c.Calibration != "none":
		what = "from the share (curve " + plain(c.Calibration) + ", fitted on simulated tables) of"
	}
	t.linef("confidence: %s %s %s with the edge in this direction; one whose direction is open counts half each way", what, count, how)
	t.recalibration(c.Recalibration)
	if n := len(c.Failed); n > 0 {
		t.linef("  %s could not be learned from; the first: %s", counted(n, "sample"), plain(c.Failed[0].Why))
	}
	t.turned(c)
	if c.Level > 0 {
		t.linef("  the graph is their consensus at %.3g: frequency of the direction and of the adjacency are at least that, on average", c.Level)
	}
	if s := c.Stability; s != nil {
		t.linef("  stability selection: %s adjacent in at least %.3g of the halves, of which %.3g are false in expectation at most", counted(s.Selected, "pair"), s.Threshold, s.Bound)
	}
}

// turned says which edges point as most graphs have them, and not as in the graph with the best score.
func (t *printer) turned(c *trust.Confidence) {
	if len(c.Turned) == 0 {
		return
	}
	names := make([]string, 0, mostTurned)
	for _, e := range c.Turned[:min(mostTurned, len(c.Turned))] {
		names = append(names, plain(e.From)+" → "+plain(e.To))
	}
	more := ""
	if n := len(c.Turned) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	point := "points"
	if len(c.Turned) > 1 {
		point = "point"
	}
	t.linef("  %s %s as most of these graphs have it, and not as in the graph with the best score: %s%s", counted(len(c.Turned), "edge"), point, strings.Join(names, ", "), more)
}

// mostTurned is how many turned edges are named.
const mostTurned = 5

// recalibration says what confidences were learned on.
func (t *printer) recalibration(r *trust.Recalibration) {
	if r == nil {
		return
	}
	of := ""
	if r.Replicates > 0 {
		of = fmt.Sprintf(" of %d replicates each", r.Replicates)
	}
	t.linef("  calibrated on %s%s: confidences above 0.1 are off by %.3f there, and by %.3f without", counted(r.Tables, "simulated table"), of, r.After, r.Before)
}

// budget says how much of the fit the edges carry, where their number or strength was bounded.
func (t *printer) budget(r *polydag.Result) {
	b := r.Budget
	if b == nil {
		return
	}
	var bounds []string
	if b.MaxEdges > 0 {
		bounds = append(bounds, "at most "+counted(b.MaxEdges, "edge"))
	}
	if b.MinStrength > 0 {
		bounds = append(bounds, fmt.Sprintf("at least %.3g bits a row each", b.MinStrength))
	}
	t.linef("budget: %s; the graph has %.1f %% of the fit of the one without a budget, which has %s: %.4g of %.4g bits a row",
		strings.Join(bounds, ", "), 100*b.Share, counted(b.Edges, "edge"), b.Bits, b.AllBits)
}

// regimes says which mechanisms differ.
func (t *printer) regimes(r *polydag.Regimes) {
	if r == nil {
		return
	}
	t.linef("")
	t.linef("Mechanisms that differ between the %d regimes of %s (p for one test, and among all of the table):", len(r.Rows), brief(r.Column))
	for _, c := range r.Changed {
		t.linef("  %s: %s  %s  %s", brief(c.Regime), brief(c.Column), chance(c.P), chance(c.Adjusted))
	}
	if len(r.Changed) == 0 {
		t.linef("  none was found")
	}
}

// chance words a p-value. One that is smaller than a float64 can be is not none.
func chance(p float64) string {
	if p < 1e-300 {
		return "<1e-300"
	}
	return fmt.Sprintf("%.2g", p)
}

func (t *printer) certificate(r *polydag.Result) {
	if c := r.Continuous; c != nil && len(c.Cut) > 0 {
		t.linef("The threshold left %d cyclic component(s); one cycle is:", c.CyclicComponents)
		t.linef("  %s", wrap(append(slices.Clone(c.Cycle), c.Cycle[0]), " → ", t.room(96, 2), "  "))
		t.linef("%d edge(s) were cut to break all cycles:", len(c.Cut))
		for _, e := range c.Cut {
			t.linef("  %s → %s  %.4g", plain(e.From), plain(e.To), e.Weight)
		}
	}
	switch {
	case r.Kind == graph.KindDAG:
		t.linef("DAG: yes. Every edge goes forward in this order:")
	case r.Kind == graph.KindAverage:
		t.linef("An average of graphs; it promises nothing.")
	case r.Certificate.Kind == graph.KindPAG && !r.Certificate.Holds:
		t.linef("%s: no. No graph has all these marks. Every directed edge goes forward in this order:", strings.ToUpper(string(r.Kind)))
	case r.Kind == graph.KindPDAG:
		t.linef("PDAG: what tests left that contradict each other or were stopped; no cycle. Every directed edge goes forward in this order:")
	default:
		t.linef("%s: checked. Every directed edge goes forward in this order:", strings.ToUpper(string(r.Kind)))
	}
	if len(r.Certificate.Order) > 0 {
		t.linef("  %s", wrap(ends(r.Certificate.Order), ", ", t.room(96, 2), "  "))
	}
	if c := r.Continuous; c != nil {
		line := fmt.Sprintf("threshold %.3g; h before it %.3g", c.Threshold, c.H)
		if c.HThreshold != nil {
			line += fmt.Sprintf(", after it %.3g", *c.HThreshold)
		}
		t.linef("%s", line)
	}
}

// bar draws the size of an edge as up to 16 blocks, so that the eye can compare.
func bar(e polydag.Edge) string {
	n := int(math.Round(16 * e.Size()))
	if e.Sign() < 0 {
		return strings.Repeat("░", n)
	}
	return strings.Repeat("█", n)
}

// plain replaces control characters, which a terminal would obey.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// A name of more than mostPad signs does not move the columns of the others, and of one longer than longest the beginning and the end
// are printed. The JSON has them whole.
const (
	mostPad = 28
	longest = 48
)

// brief is a name in a line of figures.
func brief(name string) string { return shorten(name, longest) }

// shorten leaves out the middle of a name of more than so many signs.
func shorten(name string, most int) string {
	r := []rune(plain(name))
	if len(r) <= most {
		return string(r)
	}
	end := most * 3 / 8
	return string(r[:most-end-1]) + "…" + string(r[len(r)-end:])
}

// ends leaves out the middle of a long list.
func ends(names []string) []string {
	const most, first, last = 200, 12, 8
	if len(names) <= most {
		return names
	}
	out := append(slices.Clone(names[:first]), fmt.Sprintf("… %s more …", thousands(len(names)-first-last)))
	return append(out, names[len(names)-last:]...)
}

// thousands writes a whole number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for k := len(s) - 3; k > 0; k -= 3 {
		s = s[:k] + "," + s[k:]
	}
	return s
}

func pad(s string, width int) string {
	s = plain(s)
	return s + strings.Repeat(" ", max(width-utf8.RuneCountInString(s), 0))
}

// wrap joins words and breaks lines at width; at most 12 lines, then the count of what is left.
func wrap(words []string, sep string, width int, indent string) string {
	var b strings.Builder
	line, lines := 0, 1
	for i, word := range words {
		if i > 0 {
			b.WriteString(sep)
			line += utf8.RuneCountInString(sep)
		}
		n := utf8.RuneCountInString(word)
		if line > 0 && line+n > width {
			if lines == 12 {
				fmt.Fprintf(&b, "… and %d more", len(words)-i)
				return b.String()
			}
			broken := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(broken + "\n" + indent)
			line, lines = 0, lines+1
		}
		b.WriteString(plain(word))
		line += n
	}
	return b.String()
}
