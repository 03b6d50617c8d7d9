package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/trust"
)

// arrow draws the verdict on an edge: → directed, — undirected, ? weak. An edge of a PAG with other marks shows these.
func arrow(e polydag.Edge) string {
	switch {
	case !e.Directed() && e.Mark != "---":
		return e.Mark
	case e.Verdict == polydag.Weak:
		return "?"
	case e.Verdict == polydag.Undirected || !e.Directed():
		return "—"
	}
	return "→"
}

// columnLegend defines the figures of the table of edges.
var columnLegend = map[string]string{
	"lag":         "lag: time steps from cause to effect",
	"confidence":  "confidence: probability that the mark is right",
	"effect":      `effect: direct change of "to" per unit of "from"`,
	"std. effect": "std. effect: the same in standard deviations",
	"gain":        "gain: score lost without the edge, in bits per row",
}

// legend explains the marks and the columns that occur, and the effects of categories.
func (t *printer) legend(edges []polydag.Edge, columns []column) {
	words := map[string]string{
		"→": "directed", "—": "undirected (direction not identified)",
		"?": fmt.Sprintf("weak (probability of an edge below %g)", trust.StatedLevel),
	}
	if !slices.ContainsFunc(edges, func(e polydag.Edge) bool { return e.Verdict != "" }) {
		words["—"] = "undirected"
	}
	for _, m := range graph.Symbols() {
		if m != "-->" && m != "---" {
			words[m] = graph.Words(m)
		}
	}
	seen := map[string]bool{}
	for _, e := range edges {
		seen[arrow(e)] = true
	}
	var said []string
	for _, m := range append([]string{"→", "—", "?"}, graph.Symbols()...) {
		if seen[m] {
			said = append(said, m+" "+words[m])
		}
	}
	category, values, slopes := false, false, false
	for _, e := range edges {
		text := shortEffect(e)
		between, contrast := strings.Contains(text, " against "), strings.HasSuffix(text, ")")
		values = values || between
		category = category || contrast && !between
		slopes = slopes || !contrast
	}
	for _, c := range columns {
		words, ok := columnLegend[strings.TrimSuffix(c.header, " (bits/row)")]
		if c.header == "effect" && !slopes {
			words = `effect: direct change of "to"`
		}
		if ok {
			said = append(said, words)
		}
	}
	if values {
		said = append(said, "(a against b): for these two values of \"from\"")
	}
	if category {
		said = append(said, "(a): for category a against the most frequent one")
	}
	if slices.ContainsFunc(edges, func(e polydag.Edge) bool { return strings.Contains(shortEffect(e), " pp") }) {
		said = append(said, "pp: percentage points of probability")
	}
	t.linef("%s", wrap(strings.Fields("Legend: "+strings.Join(said, "; ")+"."), " ", t.room(116, 2), "  "))
}

// assumptions lists the assumption checks. A check that failed has a line on what failed and one with the remedy; full also gives the
// figures.
func (t *printer) assumptions(list []trust.Assumption, full bool) {
	if len(list) == 0 {
		return
	}
	t.linef("")
	t.linef("Assumption checks:")
	const indent = "               "
	for _, a := range list {
		if a.Verdict != trust.Fails {
			continue
		}
		for _, f := range a.Evidence {
			what := trust.CodeWords(f.Code)
			if full {
				what = f.Sentence
			} else if len(f.Columns) > 0 {
				what += " (" + columnList(f.Columns) + ")"
			}
			t.linef("  failed       %s", wrap(strings.Fields(a.Statement+": "+what), " ", t.room(96, len(indent)), indent))
			t.linef("%s→ %s", indent, wrap(strings.Fields(t.wayOut(f)), " ", t.room(94, len(indent)+2), indent+"  "))
		}
	}
	for _, kind := range []struct {
		verdict trust.Verdict
		words   string
	}{{trust.HoldsUp, "passed"}, {trust.NotTested, "not checked"}, {trust.NotCheckable, "untestable"}} {
		var said []string
		for _, a := range list {
			if a.Verdict != kind.verdict {
				continue
			}
			words := a.Statement
			if kind.verdict == trust.NotTested {
				reason := " (" + a.Sentence + ")"
				if n := len(said); n > 0 && strings.HasSuffix(said[n-1], reason) { // the reason stands once, after the last check
					said[n-1] = strings.TrimSuffix(said[n-1], reason)
				}
				words += reason
			}
			said = append(said, words)
		}
		if len(said) > 0 {
			t.linef("  %-11s  %s", kind.words, wrap(strings.Fields(strings.Join(said, "; ")), " ", t.room(96, len(indent)), indent))
		}
	}
}
