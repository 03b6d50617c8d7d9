package report

import (
	"fmt"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/trust"
)

// arrow draws the verdict on an edge: → directed, — undirected, ? weak. An edge that is no arrow in the graph shows its marks.
func arrow(e polydag.Edge) string {
	switch {
	case !e.Directed():
		return e.Mark
	case e.Verdict == polydag.Undirected:
		return "—"
	case e.Verdict == polydag.Weak:
		return "?"
	}
	return "→"
}

// legend explains the marks that occur.
func (t *printer) legend(edges []polydag.Edge) {
	words := map[string]string{
		"→": "direction identified", "—": "adjacent, direction not identified",
		"?": fmt.Sprintf("weak, probability of the adjacency below %g", trust.StatedLevel),
	}
	for _, m := range graph.Symbols() {
		if m != "-->" {
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
	t.linef("Legend: %s.", strings.Join(said, "; "))
}

// assumptions says of each assumption of the model how it fares: one that fails has a line with its figures and one a way out.
func (t *printer) assumptions(list []trust.Assumption) {
	if len(list) == 0 {
		return
	}
	t.linef("")
	t.linef("Assumption checks:")
	const indent = "                 "
	for _, a := range list {
		if a.Verdict != trust.Fails {
			continue
		}
		for _, f := range a.Evidence {
			t.linef("  failed         %s", wrap(strings.Fields(a.Statement+": "+f.Sentence), " ", t.room(92, len(indent)), indent))
			t.linef("%s→ %s", indent, wrap(strings.Fields(t.wayOut(f)), " ", t.room(90, len(indent)+2), indent+"  "))
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
				words += " (" + a.Sentence + ")"
			}
			said = append(said, words)
		}
		if len(said) > 0 {
			t.linef("  %-13s  %s", kind.words, wrap(strings.Fields(strings.Join(said, "; ")), " ", t.room(92, len(indent)), indent))
		}
	}
}
