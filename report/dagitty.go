package report

import (
	"bytes"
	"fmt"

	"github.com/polydag/polydag"
)

// dagitty writes a graph for dagitty.net and R's dagitty. A linear effect has the standardized coefficient as beta, which dagitty's
// simulateSEM uses. Names are in double quotes; quotes, backslashes, % and control characters in them are percent-encoded.
//
//	g <- dagitty::dagitty(paste(readLines("graph.dagitty"), collapse = "\n"))
//
// Reference: Textor et al., Robust causal inference using directed acyclic graphs: the R package dagitty, IJE 45(6), 2016.
func dagitty(r *polydag.Result, b *bytes.Buffer) error {
	in, err := incoming(r, "dagitty")
	if err != nil {
		return err
	}
	b.WriteString("dag {\n")
	for _, name := range r.Names {
		fmt.Fprintf(b, "%s\n", dagittyName(name))
	}
	for v, name := range r.Names {
		for _, e := range in[v] {
			fmt.Fprintf(b, "%s -> %s", dagittyName(e.From), dagittyName(name))
			if e.Standardized != 0 {
				fmt.Fprintf(b, " [beta=\"%s\"]", number(e.Standardized))
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString("}\n")
	return nil
}

func dagittyName(s string) string { return `"` + percentOf(s, `"\%`) + `"` }
