package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/trust"
)

// written returns what a part of the text report writes.
func written(width int, write func(*printer)) string {
	var b strings.Builder
	write(&printer{w: &b, width: width})
	return b.String()
}

// TestListedEdges checks that up to 60 edges are listed, and that more than 5 weak edges with a confidence below 0.5 are only counted.
func TestListedEdges(t *testing.T) {
	for _, c := range []struct {
		likely, unlikely int
		confidence       float64
		listed           int
		end              string
	}{
		{60, 0, 0.4, 60, ""}, {61, 0, 0.4, 60, "and 1 more edge;"}, {63, 0, 0.4, 60, "and 3 more edges;"},
		{2, 5, 0.4, 7, ""}, {2, 6, 0.4, 2, "and 6 weak edges"}, {2, 6, 0.5, 8, ""}, {2, 6, 0.499, 2, "and 6 weak edges"},
	} {
		r := &polydag.Result{}
		for k := range c.likely + c.unlikely {
			e := polydag.Edge{Link: polydag.Link{From: fmt.Sprintf("from%d", k), To: "to"}, Mark: "-->", Judgement: trust.Judgement{Verdict: trust.Directed, Confidence: 0.9}}
			if k >= c.likely {
				e.Verdict, e.Confidence = trust.Weak, c.confidence
			}
			r.Edges = append(r.Edges, e)
		}
		if c.end == "and 3 more edges;" {
			if text := written(0, func(p *printer) { p.written = "r.json"; p.edges(r) }); !strings.Contains(text, "and 3 more edges; all of them are in r.json") {
				t.Errorf("the file that has them is not named:\n%s", text)
			}
		}
		text := written(0, func(p *printer) { p.edges(r) })
		if got := strings.Count(text, "  from") - 1; got != c.listed || !strings.Contains(text, c.end) || (c.end == "") == strings.Contains(text, "… and") {
			t.Errorf("%d edges and %d unlikely ones: %d listed, want %d and %q in\n%s", c.likely, c.unlikely, got, c.listed, c.end, text)
		}
	}
}

// TestOppositeDirections checks that an undirected edge is named if edge and reverse direction have a probability of at least 0.8 from
// evidence.
func TestOppositeDirections(t *testing.T) {
	reason := []trust.Reason{{Source: "x"}}
	for _, c := range []struct {
		name string
		j    trust.Judgement
		want bool
	}{
		{"a probable reverse direction", trust.Judgement{Verdict: trust.Undirected, PAdjacent: 1, PDirection: 0.19, Evidence: reason}, true},
		{"a reverse direction below the level", trust.Judgement{Verdict: trust.Undirected, PAdjacent: 1, PDirection: 0.21, Evidence: reason}, false},
		{"an edge that makes it improbable", trust.Judgement{Verdict: trust.Undirected, PAdjacent: 0.9, PDirection: 0.15, Evidence: reason}, false},
		{"no evidence", trust.Judgement{Verdict: trust.Undirected, PAdjacent: 1, PDirection: 0.1}, false},
		{"a weak edge", trust.Judgement{Verdict: trust.Weak, PAdjacent: 1, PDirection: 0.1, Evidence: reason}, false},
	} {
		r := &polydag.Result{Edges: []polydag.Edge{{Link: polydag.Link{From: "a", To: "b"}, Mark: "-->", Judgement: c.j}}}
		if text := written(0, func(p *printer) { p.opposite(r) }); strings.Contains(text, "b → a") != c.want {
			t.Errorf("%s: %q, want it named: %v", c.name, text, c.want)
		}
	}
}

// TestReversedEdges checks that the edges beyond the listed ones are counted.
func TestReversedEdges(t *testing.T) {
	for n, want := range map[int]string{1: "direction: a0 → b.", mostReversed: fmt.Sprintf("a%d → b.", mostReversed-1), mostReversed + 2: ", 2 more."} {
		c := &trust.Confidence{}
		for k := range n {
			c.Turned = append(c.Turned, polydag.Link{From: fmt.Sprintf("a%d", k), To: "b"})
		}
		text := strings.Join(strings.Fields(written(0, func(p *printer) { p.reversed(c) })), " ")
		if !strings.HasSuffix(text, want) || strings.Count(text, "→") != min(n, mostReversed) {
			t.Errorf("%d edges: %q, want %q at the end", n, text, want)
		}
	}
}

// TestListedPriors checks that the priors beyond the listed ones are counted.
func TestListedPriors(t *testing.T) {
	for n, want := range map[int]string{1: "", maxPriors: "", maxPriors + 2: "… and 2 more in the JSON"} {
		var all []trust.PriorOutcome
		for range n {
			all = append(all, trust.PriorOutcome{Link: polydag.Link{From: "a", To: "b"}, Prior: 0.8, Result: trust.PairNone, Outcome: trust.PriorOverruled})
		}
		text := written(0, func(p *printer) { p.priors(all) })
		if got := strings.Count(text, "a → b"); got != min(n, maxPriors) || !strings.Contains(text, want) || (want == "") == strings.Contains(text, "more in") {
			t.Errorf("%d priors: %d listed, want %d and %q", n, got, min(n, maxPriors), want)
		}
	}
}

// TestReservedDots checks the names of dots that R reserves.
func TestReservedDots(t *testing.T) {
	for s, want := range map[string]bool{"...": true, "..1": true, "..12": true, "..": false, "..a": false, "..1a": false, ".1": false, "....": false, "a": false} {
		if dots(s) != want {
			t.Errorf("%s is reserved: %v, want %v", s, dots(s), want)
		}
	}
}

// TestBasisOfDirections checks what the stated directions rest on, with the edges of rules alone, in lines of at most 116 characters.
func TestBasisOfDirections(t *testing.T) {
	r := &polydag.Result{}
	for k, b := range []trust.Basis{trust.ByRule, trust.ByModel, trust.ByKnowledge, trust.ByModel, trust.ByRule} {
		r.Edges = append(r.Edges, polydag.Edge{Link: polydag.Link{From: fmt.Sprint("a", k), To: "b"}, Mark: "-->", Judgement: trust.Judgement{Verdict: trust.Directed, Basis: b}})
	}
	r.Edges[4].Verdict = trust.Weak
	text := written(0, func(p *printer) { p.directions(r) })
	must.Same(t, strings.Join(strings.Fields(text), " "), "Directions (→): 1 by prior knowledge; 2 by the model; 1 mainly by rules about real tables (a0 → b). "+rules+".")
	timed := &polydag.Result{Edges: r.Edges[1:2], Lagged: []polydag.Edge{r.Edges[3], r.Edges[4], r.Edges[3]}}
	must.Same(t, written(0, func(p *printer) { p.directions(timed) }), "Directions (→): 2 by the order of time (edges with a lag); 1 by the model.\n")
	named := &polydag.Result{}
	for k, from := range []string{"age", "sex", "age", "kind of blood pressure medication", "place"} {
		evidence := []trust.Reason{{Source: trust.FromClass, Text: "loss"}, {Source: trust.FromNames, Text: from + " comes first by its name"}}
		named.Edges = append(named.Edges, polydag.Edge{Link: polydag.Link{From: from, To: fmt.Sprint("b", k)}, Mark: "-->", Judgement: trust.Judgement{Verdict: trust.Directed, Basis: trust.ByNames, Evidence: evidence}})
	}
	must.Same(t, written(0, func(p *printer) { p.directions(named) }), "Directions (→): 5 by the names of the columns (age comes first by its name, sex comes first by its name, kind of\n  blood pressure medication comes first by its name and 1 more).\n")
	for k := range 12 {
		r.Edges = append(r.Edges, polydag.Edge{Link: polydag.Link{From: fmt.Sprint("c", k), To: "d"}, Mark: "-->", Judgement: trust.Judgement{Verdict: trust.Undirected, PAdjacent: 1, PDirection: 0.1, Evidence: []trust.Reason{{}}}})
	}
	for _, text := range []string{text, written(0, func(p *printer) { p.opposite(r) })} {
		longest := 0
		for line := range strings.Lines(text) {
			longest = max(longest, len([]rune(line))-1)
		}
		if longest > 116 || longest < 100 {
			t.Errorf("the longest line has %d characters:\n%s", longest, text)
		}
	}
	for label, want := range map[string]string{"a-b": "a-b", "a b.c": "a b.c", "-a": "#45;a", "a--b": "a#45;#45;b", "a_": "a#95;", "a[b": "a#91;b"} {
		must.Same(t, mermaidLabel(label), want, label)
	}
}
