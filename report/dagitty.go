package report

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/polydag/polydag"
)

// dagitty writes a graph for dagitty.net and R's dagitty: a dag, or a pdag with undirected edges a -- b. A linear effect has the standardized coefficient as beta, which dagitty's
// simulateSEM uses. Names are in double quotes; quotes, backslashes, % and control characters in them are percent-encoded.
//
//	g <- dagitty::dagitty(paste(readLines("graph.dagitty"), collapse = "\n"))
//
// Reference: Textor et al., Robust causal inference using directed acyclic graphs: the R package dagitty, IJE 45(6), 2016.
func dagitty(r *polydag.Result, b *bytes.Buffer) error {
	if _, err := indexFor(r, Format{Name: "dagitty", Undirected: true}); err != nil {
		return err
	}
	if slices.ContainsFunc(r.Edges, func(e polydag.Edge) bool { return !e.Directed() }) {
		b.WriteByte('p')
	}
	b.WriteString("dag {\n")
	for _, name := range r.Names {
		fmt.Fprintf(b, "%s\n", dagittyName(name))
	}
	for _, e := range r.Edges {
		fmt.Fprintf(b, "%s %s %s", dagittyName(e.From), e.Mark[1:], dagittyName(e.To))
		if r.HasWeight(e) {
			fmt.Fprintf(b, " [beta=\"%s\"]", number(e.Standardized))
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	return nil
}

func dagittyName(s string) string { return `"` + percentOf(s, `"\%`) + `"` }
