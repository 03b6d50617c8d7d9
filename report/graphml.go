package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/polydag/polydag"
)

// graphML writes XML in which the id of a node is the name of its column, and numbers and booleans are typed.
// The schema of GraphML forbids spaces in ids, but the readers (networkx, igraph, Gephi, yEd) accept them.
//
// mark has the marks at the ends of an edge. An undirected edge is two, one in each direction: networkx refuses a file with directed and
// undirected edges, and igraph reads all its edges as directed.
//
// XML cannot hold most control characters, not even escaped; names with one get an alias.
//
// Reference: graphml.graphdrawing.org
func graphML(r *polydag.Result, b *bytes.Buffer) error {
	index, err := indexOf(r)
	if err != nil {
		return err
	}
	ids, table := aliases(r.Names, xmlHolds, func(s string) string {
		return strings.Map(func(r rune) rune {
			if xmlRune(r) {
				return r
			}
			return '_'
		}, s)
	})
	b.WriteString(xml.Header)
	comments(b, "<!-- ", " -->", table)
	b.WriteString("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n")
	nodes := nodesOf(r)
	if nodes != nil {
		for _, name := range []string{"mean", "std", "residual_variance", "r2"} {
			fmt.Fprintf(b, "  <key id=\"%s\" for=\"node\" attr.name=\"%s\" attr.type=\"double\"/>\n", name, name)
		}
	}
	keys := [][2]string{{"weight", "double"}, {"standardized", "double"}, {"mark", "string"}, {"compelled", "boolean"}, {"gain", "double"}, {"verdict", "string"}, {"confidence", "double"}, {"p_adjacent", "double"}, {"p_direction", "double"}, {"basis", "string"}}
	if len(r.Lagged) > 0 {
		keys = append(keys, [2]string{"lag", "int"})
	}
	for _, key := range keys {
		fmt.Fprintf(b, "  <key id=\"%s\" for=\"edge\" attr.name=\"%s\" attr.type=\"%s\"/>\n", key[0], key[0], key[1])
	}
	b.WriteString("  <graph edgedefault=\"directed\">\n")
	for i, id := range ids {
		if nodes == nil {
			fmt.Fprintf(b, "    <node id=\"%s\"/>\n", xmlText(id))
			continue
		}
		n := nodes[i]
		fmt.Fprintf(b, "    <node id=\"%s\">\n", xmlText(id))
		data(b, "mean", number(n.Mean))
		data(b, "std", number(n.Std))
		data(b, "residual_variance", number(n.ResidualVariance))
		data(b, "r2", number(n.R2))
		b.WriteString("    </node>\n")
	}
	for _, e := range bothWays(r) {
		fmt.Fprintf(b, "    <edge source=\"%s\" target=\"%s\">\n", xmlText(ids[index[e.From]]), xmlText(ids[index[e.To]]))
		if r.HasWeight(e) {
			data(b, "weight", number(e.Weight))
			data(b, "standardized", number(e.Standardized))
		}
		data(b, "mark", xmlText(e.Mark))
		data(b, "compelled", fmt.Sprint(e.Compelled))
		if e.Gain != 0 {
			data(b, "gain", number(e.Gain))
		}
		if e.Lag > 0 {
			data(b, "lag", fmt.Sprint(e.Lag))
		}
		if e.Verdict != "" {
			data(b, "verdict", string(e.Verdict))
			data(b, "confidence", number(e.Confidence))
			data(b, "p_adjacent", number(e.PAdjacent))
			data(b, "p_direction", number(e.PDirection))
		}
		if word := e.RestsOn(); word != "" {
			data(b, "basis", word)
		}
		b.WriteString("    </edge>\n")
	}
	b.WriteString("  </graph>\n</graphml>\n")
	return nil
}

func data(b *bytes.Buffer, key, value string) {
	fmt.Fprintf(b, "      <data key=\"%s\">%s</data>\n", key, value)
}

// xmlText escapes s for text and attributes, including line ends and tabs, which a reader would replace by
// spaces.
func xmlText(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(s)) // a Buffer never fails
	return b.String()
}

func xmlHolds(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !xmlRune(r) })
}

// xmlRune reports whether XML 1.0 allows the character (section 2.2).
func xmlRune(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000
}
