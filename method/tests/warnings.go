package tests

import (
	"fmt"
	"strings"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method/constraint"
)

// mostNamed is the largest number of triples or edges that a warning names.
const mostNamed = 8

// warnings describes the contradictions between tests.
func warnings(columns []string, s *constraint.Search, out *constraint.Outcome) (list []string) {
	triples := func(ts []constraint.Triple) string {
		var text []string
		for _, t := range ts[:min(len(ts), mostNamed)] {
			text = append(text, columns[t.A]+" – "+columns[t.Mid]+" – "+columns[t.B])
		}
		return strings.Join(text, ", ") + more(len(ts))
	}
	edges := func(es []graph.Edge) string {
		var text []string
		for _, e := range es[:min(len(es), mostNamed)] {
			text = append(text, columns[e.From]+" – "+columns[e.To])
		}
		return strings.Join(text, ", ") + more(len(es))
	}
	if n := len(out.Conflicts); n > 0 {
		list = append(list, fmt.Sprintf("%s of columns could not be directed as tests say, since others or knowledge say otherwise: %s", names.Count(n, "triple"), triples(out.Conflicts)))
	}
	if n := len(out.Ambiguous); n > 0 {
		list = append(list, fmt.Sprintf("%s of columns were left as they are, since some conditions call the one in the middle a common effect and some do not: %s", names.Count(n, "triple"), triples(out.Ambiguous)))
	}
	if out.Graph.Kind() == graph.KindPDAG {
		list = append(list, "the tests contradict each other, so that no set of equivalent DAGs has all these edges and directions: the graph is a PDAG and no CPDAG")
	}
	if n := len(out.Changed); n > 0 {
		list = append(list, fmt.Sprintf("the tests contradict each other: a mark of %s was changed so that the graph is a PAG: %s", names.Count(n, "edge"), edges(out.Changed)))
	}
	if n := len(out.Added); n > 0 {
		list = append(list, fmt.Sprintf("%s that a test had separated were joined, since no PAG with the other marks separates them: %s", names.Count(n, "pair"), edges(out.Added)))
	}
	if n := len(out.Dropped); n > 0 {
		list = append(list, fmt.Sprintf("%s that knowledge leaves no direction for were dropped: %s", names.Count(n, "edge"), edges(out.Dropped)))
	}
	if s.Few() {
		list = append(list, "some conditions had too many columns or levels for the rows and were not tested; the pairs stayed joined unless another condition separated them")
	}
	return list
}

func more(n int) string {
	if n > mostNamed {
		return fmt.Sprintf(" and %d more", n-mostNamed)
	}
	return ""
}
