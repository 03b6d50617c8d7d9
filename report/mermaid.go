package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/polydag/polydag"
)

// mermaid writes a flowchart from top to bottom, in the colors and dashes of DOT. Nodes are n0, n1, … in the
// order of Names, because an id must be a word, and have the name as label. A weak edge is dotted.
//
// A label is Markdown with entities #code;. Letters, digits, and . _ - and inner spaces stay; everything else
// is an entity, so that no name is interpreted as markup.
//
// Reference: mermaid.js.org/syntax/flowchart.html
func mermaid(r *polydag.Result, b *bytes.Buffer) error {
	index, err := indexOf(r)
	if err != nil {
		return err
	}
	b.WriteString("flowchart TD\n")
	for i, name := range r.Names {
		fmt.Fprintf(b, "  n%d[\"%s\"]\n", i, mermaidLabel(name))
	}
	bySign := map[string][]string{}
	for i, e := range r.Summary() {
		mermaidEdge(b, r, e, index[e.From], index[e.To])
		c := colour(e.Edge)
		bySign[c] = append(bySign[c], fmt.Sprint(i))
	}
	for _, c := range []string{positive, negative, unsigned, neutral} {
		if edges := bySign[c]; len(edges) > 0 {
			fmt.Fprintf(b, "  linkStyle %s stroke:%s\n", strings.Join(edges, ","), c)
		}
	}
	return nil
}

// mermaidEdge writes one line. Mermaid does not support a circle at one end and a head at the other; that edge
// is an arrow with its mark as label.
func mermaidEdge(b *bytes.Buffer, r *polydag.Result, e polydag.Line, from, to int) {
	switch e.Mark {
	case "<->":
		fmt.Fprintf(b, "  n%d <--> n%d\n", from, to)
	case "o-o":
		fmt.Fprintf(b, "  n%d o--o n%d\n", from, to)
	case "o--":
		fmt.Fprintf(b, "  n%d --o n%d\n", to, from)
	case "o->":
		fmt.Fprintf(b, "  n%d -->|\"%s\"| n%d\n", from, mermaidLabel(e.Mark), to)
	default:
		arrow := e.Mark
		if e.Verdict == polydag.Weak {
			arrow = map[string]string{"-->": "-.->", "---": "-.-"}[arrow]
		}
		label := arrowLabel(r, e)
		if label != "" {
			label = `|"` + label + `"|`
		}
		fmt.Fprintf(b, "  n%d %s%s n%d\n", from, arrow, label, to)
	}
}

func mermaidLabel(s string) string {
	runes := []rune(s)
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	var b strings.Builder
	for i, r := range runes {
		if word(i) || strings.ContainsRune("._- ", r) && word(i-1) && word(i+1) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
