package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/polydag/polydag"
)

// positive and negative are colors that are distinct under common color vision deficiencies (Okabe and Ito
// 2008, blue and vermillion).
const (
	positive = "#0072B2"
	negative = "#D55E00"
)

// unsigned is the color of effects without a sign, of nominal columns.
const unsigned = "#7A5195"

// neutral is the color of undirected edges, which have no weight.
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

// dot writes a Graphviz graph from top to bottom. Blue edges are positive and vermillion edges negative. An
// undirected edge is grey and has no head, and a weak one is dotted. Edges with other marks are grey and
// show a head, a hollow circle or nothing at each end.
//
// The weight is in the attribute coefficient, because weight is an integer attribute of Graphviz that controls
// the layout. It would truncate 0.7 to 0 and overflow at 10⁹.
//
// The names of the nodes are the names of the columns. In a quoted DOT string \" is the only escape and \\
// stays two characters. So an odd number of backslashes before a quote, a line end or the end of the name
// cannot be written. Graphviz also replaces an id that begins with %, and version 2.43 drops a line break between
// two quotes or escapes. Such names get an alias.
func dot(r *polydag.Result, b *bytes.Buffer) error {
	index, err := indexOf(r)
	if err != nil {
		return err
	}
	ids, table := aliases(r.Names, dotHolds, func(s string) string {
		return strings.NewReplacer(`\`, "_", "%", "_", "\x00", "_", "\n", "_").Replace(s)
	})
	comments(b, "// ", "", table)
	b.WriteString("digraph polydag {\n  rankdir=TB;\n  node [shape=box, style=rounded];\n")
	for i, name := range r.Names {
		if label := dotLabel(name); label != dotID(ids[i]) {
			fmt.Fprintf(b, "  %s [label=%s];\n", dotID(ids[i]), label)
		} else {
			fmt.Fprintf(b, "  %s;\n", dotID(ids[i]))
		}
	}
	for _, e := range r.Summary() {
		c := colour(e.Edge)
		fmt.Fprintf(b, "  %s -> %s [", dotID(ids[index[e.From]]), dotID(ids[index[e.To]]))
		switch {
		case e.Mark == "---":
			fmt.Fprintf(b, `label="%s", color=%q, fontcolor=%q, dir=none`, arrowLabel(r, e), c, c)
		case !e.Directed():
			end := map[byte]string{'-': "none", '<': "normal", '>': "normal", 'o': "odot"}
			fmt.Fprintf(b, "dir=both, arrowtail=%s, arrowhead=%s, color=%q", end[e.Mark[0]], end[e.Mark[2]], c)
		default:
			fmt.Fprintf(b, `label="%s", color=%q, fontcolor=%q`, arrowLabel(r, e), c, c)
		}
		if e.Verdict == polydag.Weak && (e.Directed() || e.Mark == "---") {
			b.WriteString(", style=dotted")
		}
		if r.HasWeight(e.Edge) {
			fmt.Fprintf(b, `, coefficient="%s", standardized="%s"`, number(e.Weight), number(e.Standardized))
		}
		fmt.Fprintf(b, ", compelled=%t", e.Compelled)
		if e.Gain != 0 {
			fmt.Fprintf(b, `, gain="%s"`, number(e.Gain))
		}
		if len(e.Lags) > 0 {
			fmt.Fprintf(b, ", lag=%q, constraint=false", strings.Trim(fmt.Sprint(e.Lags), "[]"))
		}
		if e.Verdict != "" {
			fmt.Fprintf(b, `, verdict=%s, confidence="%s", p_adjacent="%s", p_direction="%s"`, e.Verdict, number(e.Confidence), number(e.PAdjacent), number(e.PDirection))
		}
		if word := e.RestsOn(); word != "" {
			fmt.Fprintf(b, ", basis=%s", word)
		}
		b.WriteString("];\n")
	}
	b.WriteString("}\n")
	return nil
}

// arrowLabel returns the label of an arrow: the weight or, if a slope does not describe the effect, the score gain, and the lags.
func arrowLabel(r *polydag.Result, e polydag.Line) string {
	switch weighs := r.HasWeight(e.Edge); {
	case e.Gain != 0 && (!weighs || e.Sign() == 0):
		return e.Label(fmt.Sprintf("%.2g bit", e.Gain))
	case !weighs:
		return e.Label("")
	}
	return e.Label(fmt.Sprintf("%+.3g", e.Weight))
}

// comments writes the table of aliases, if any, one comment per line.
func comments(b *bytes.Buffer, open, end string, table []string) {
	if len(table) == 0 {
		return
	}
	fmt.Fprintf(b, "%sNames that this format cannot hold are changed: alias = name, as JSON strings.%s\n", open, end)
	for _, line := range table {
		fmt.Fprintf(b, "%s%s%s\n", open, line, end)
	}
}

// droppedBreak matches the line breaks that the scanner of Graphviz 2.43 counts but does not keep: those that
// are alone between the quotes of the id or its escape sequences.
var droppedBreak = regexp.MustCompile(`(\A|["\\])\n(\z|["\\])`)

// dotHolds reports whether Graphviz reads the quoted id s unchanged.
func dotHolds(s string) bool {
	if strings.HasPrefix(s, "%") || droppedBreak.MatchString(s) {
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

// dotLabel quotes a label, in which a backslash starts an escape and & an entity.
func dotLabel(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;", "\r\n", `\n`, "\n", `\n`, "\r", " ", "\x00", "\ufffd").Replace(s) + `"`
}
