package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/polydag/polydag"
)

// Two colours that stay apart under the common colour vision deficiencies (Okabe and Ito 2008, blue and vermillion).
const (
	positive = "#0072B2"
	negative = "#D55E00"
)

// unsigned is for effects that neither raise nor lower: of levels without an order.
const unsigned = "#7A5195"

// neutral is for edges without a direction, which have no weight.
const neutral = "#5B636C"

func colour(e polydag.Edge) string {
	switch {
	case !e.Directed():
		return neutral
	case e.Sign() < 0:
		return negative
	case e.Sign() > 0:
		return positive
	}
	return unsigned
}

// dot writes a Graphviz graph, top to bottom: blue edges raise and vermillion edges lower what they point to, and an
// edge whose direction is not stated has no head; a weak one is dotted. Other edges than from → to are grey and have what stands at each end: nothing, a head
// or a hollow circle.
//
// The weight is in the attribute coefficient: weight is an attribute of Graphviz's own, an integer that says how hard
// the layout should keep an edge short. It would cut 0.7 down to 0, and end at an overflow at a weight of 10⁹.
//
// The names of the nodes are the names of the columns. In a quoted DOT string \" is the only escape and \\ stays two
// characters, so that an odd number of backslashes before a quote, a line end or the end of the name cannot be
// written; and Graphviz takes an id that begins with % for one of its own and makes up another. Such names get an alias.
func dot(r *polydag.Result) func(io.Writer) error {
	return func(w io.Writer) error {
		index, err := indexOf(r)
		if err != nil {
			return err
		}
		ids, table := aliases(r.Names, dotHolds, func(s string) string {
			return strings.NewReplacer(`\`, "_", "%", "_", "\x00", "_").Replace(s)
		})
		var b bytes.Buffer
		comments(&b, "// ", "", table)
		b.WriteString("digraph polydag {\n  rankdir=TB;\n  node [shape=box, style=rounded];\n")
		for i, name := range r.Names {
			if label := dotLabel(name); label != dotID(ids[i]) {
				fmt.Fprintf(&b, "  %s [label=%s];\n", dotID(ids[i]), label)
			} else {
				fmt.Fprintf(&b, "  %s;\n", dotID(ids[i]))
			}
		}
		for _, e := range r.Edges {
			c := colour(e)
			fmt.Fprintf(&b, "  %s -> %s [", dotID(ids[index[e.From]]), dotID(ids[index[e.To]]))
			if !e.Directed() {
				end := map[byte]string{'-': "none", '<': "normal", '>': "normal", 'o': "odot"}
				fmt.Fprintf(&b, "dir=both, arrowtail=%s, arrowhead=%s, color=%q", end[e.Mark[0]], end[e.Mark[2]], c)
			} else {
				fmt.Fprintf(&b, `label="%s", color=%q, fontcolor=%q`, said(e), c, c)
				switch e.Verdict {
				case polydag.Undirected:
					b.WriteString(", dir=none")
				case polydag.Weak:
					b.WriteString(", dir=none, style=dotted")
				}
			}
			fmt.Fprintf(&b, `, coefficient="%s", standardized="%s", compelled=%t`, number(e.Weight), number(e.Standardized), e.Compelled)
			if e.Strength != 0 {
				fmt.Fprintf(&b, `, strength="%s"`, number(e.Strength))
			}
			if e.Verdict != "" {
				fmt.Fprintf(&b, `, verdict=%s, confidence="%s", p_adjacent="%s", p_direction="%s"`, e.Verdict, number(e.Confidence), number(e.PAdjacent), number(e.PDirection))
			}
			b.WriteString("];\n")
		}
		b.WriteString("}\n")
		_, err = b.WriteTo(w)
		return err
	}
}

// said is what stands on an arrow: the weight or, where a slope does not tell the effect, the strength.
func said(e polydag.Edge) string {
	if e.Sign() == 0 && e.Strength != 0 {
		return fmt.Sprintf("%.2g bit", e.Strength)
	}
	return fmt.Sprintf("%+.3g", e.Weight)
}

// comments writes the table of aliases, if it has a line, one comment a line.
func comments(b *bytes.Buffer, open, end string, table []string) {
	if len(table) == 0 {
		return
	}
	fmt.Fprintf(b, "%sNames that this format cannot hold are changed: alias = name, as JSON strings.%s\n", open, end)
	for _, line := range table {
		fmt.Fprintf(b, "%s%s%s\n", open, line, end)
	}
}

// dotHolds reports whether Graphviz reads s as an id, in quotes, as it is.
func dotHolds(s string) bool {
	if strings.HasPrefix(s, "%") {
		return false
	}
	run := 0
	for _, c := range []byte(s + `"`) {
		switch {
		case c == '\\':
			run++
			continue
		case c == 0, run%2 == 1 && (c == '"' || c == '\n' || c == '\r'):
			return false
		}
		run = 0
	}
	return true
}

func dotID(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

// dotLabel quotes a label, in which a backslash begins an escape and & an entity.
func dotLabel(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;", "\r\n", `\n`, "\n", `\n`, "\r", " ", "\x00", "\ufffd").Replace(s) + `"`
}
