package report

import (
	"fmt"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/trust"
)

// arrow draws what the direction of an edge rests on: → the model, whose checks passed, or noise that is not Gaussian; ⇢ nothing, it is open; →? a model that was not
// checked or does not suit the table. An edge of another kind shows its marks.
func arrow(e polydag.Edge) string {
	if !e.Directed() {
		return e.Mark
	}
	switch e.Basis() {
	case polydag.DirectionOpen:
		return "⇢"
	case polydag.DirectionModel, polydag.DirectionNoise:
		return "→"
	}
	return "→?"
}

// directions counts the edges by what their directions rest on.
func (t *printer) directions(edges []polydag.Edge, budget bool) {
	count := map[polydag.Direction]int{}
	marks := map[string]int{}
	for _, e := range edges {
		if e.Directed() {
			count[e.Basis()]++
		} else {
			marks[e.Mark]++
		}
	}
	for _, m := range graph.Symbols() {
		if n := marks[m]; n > 0 {
			t.linef("%s %s: %s", m, counted(n, "edge"), graph.Words(m))
		}
	}
	most := 0.0
	for _, e := range edges {
		if e.DirectionP != nil && e.Basis() == polydag.DirectionNoise {
			most = max(most, *e.DirectionP)
		}
	}
	noise := fmt.Sprintf("from the noise, which is not Gaussian, under a model whose checks passed; p at most %.2g, corrected for the number of edges", most)
	for _, line := range []struct {
		arrow, words string
		of           polydag.Direction
	}{
		{"→", "fixed under the model, whose checks passed; that nothing outside the table acts on two columns cannot be checked", polydag.DirectionModel},
		{"→", noise, polydag.DirectionNoise},
		{"⇢", "open: under the model the data fit as well with the edge turned round (Markov equivalence)", polydag.DirectionOpen},
		{"→?", "fixed only under a model that was not checked against the rows", polydag.DirectionUnchecked},
		{"→?", "doubtful: fixed only under a model that this table does not bear out; read the edge as an association", polydag.DirectionDoubtful},
	} {
		if n := count[line.of]; n > 0 {
			t.linef("%-2s %s %s", line.arrow, counted(n, "direction"), line.words)
		}
	}
	turned, unsure := 0, 0
	for _, e := range edges {
		if e.Unsure() && e.Basis() == polydag.DirectionDoubtful {
			unsure++
		}
		if e.Turned && e.Basis() == polydag.DirectionDoubtful {
			turned++
		}
	}
	if turned > 0 {
		or := ""
		if budget {
			or = ", or the graph without a budget does not fix it"
		}
		t.linef("   %d of the doubtful: a part of the rows has the edge turned round%s", turned, or)
	}
	if unsure > 0 {
		t.linef("   %d of the doubtful: the confidence is below %.3g", unsure, trust.DirectionLevel)
	}
}

// assumptions says of each assumption of the model how it fares: one that fails has a line with its figures and one a way out.
func (t *printer) assumptions(list []trust.Assumption) {
	if len(list) == 0 {
		return
	}
	t.linef("")
	t.linef("What the model assumes, held against the table:")
	const indent = "                 "
	for _, a := range list {
		if a.Verdict != trust.Fails {
			continue
		}
		for _, f := range a.Evidence {
			t.linef("  FAILS          %s", wrap(strings.Fields(a.Statement+": "+f.Sentence), " ", t.room(92, len(indent)), indent))
			t.linef("%s→ %s", indent, wrap(strings.Fields(t.wayOut(f)), " ", t.room(90, len(indent)+2), indent+"  "))
		}
	}
	for _, kind := range []struct {
		verdict trust.Verdict
		words   string
	}{{trust.HoldsUp, "holds up"}, {trust.NotTested, "not checked"}, {trust.NotCheckable, "not checkable"}} {
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
