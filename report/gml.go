package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/polydag/polydag"
)

// gml writes the graph modelling language: nodes are numbered from 0 in the order of Names, and the label of a
// node is the name of its column. The file is ASCII, as GML requires; other characters, quotes and & are
// written as &#code;. compelled is 1 or 0. mark has the marks at the ends of an edge. An undirected edge is two, one in each direction,
// because a file is directed or not as a whole.
//
// Reference: M. Himsolt, GML: a portable graph file format, University of Passau, 1997.
func gml(r *polydag.Result, b *bytes.Buffer) error {
	index, err := indexOf(r)
	if err != nil {
		return err
	}
	nodes := nodesOf(r)
	b.WriteString("graph [\n  directed 1\n")
	for i, name := range r.Names {
		fmt.Fprintf(b, "  node [\n    id %d\n    label %s\n", i, gmlString(name))
		if nodes != nil {
			n := nodes[i]
			fmt.Fprintf(b, "    mean %s\n    std %s\n", gmlReal(n.Mean), gmlReal(n.Std))
			fmt.Fprintf(b, "    residual_variance %s\n    r2 %s\n", gmlReal(n.ResidualVariance), gmlReal(n.R2))
		}
		b.WriteString("  ]\n")
	}
	for _, e := range bothWays(r) {
		compelled := 0
		if e.Compelled {
			compelled = 1
		}
		fmt.Fprintf(b, "  edge [\n    source %d\n    target %d\n", index[e.From], index[e.To])
		if r.HasWeight(e) {
			fmt.Fprintf(b, "    weight %s\n    standardized %s\n", gmlReal(e.Weight), gmlReal(e.Standardized))
		}
		fmt.Fprintf(b, "    mark %s\n    compelled %d\n", gmlString(e.Mark), compelled)
		if e.Gain != 0 {
			fmt.Fprintf(b, "    gain %s\n", gmlReal(e.Gain))
		}
		if e.Lag > 0 {
			fmt.Fprintf(b, "    lag %d\n", e.Lag)
		}
		if e.Verdict != "" {
			fmt.Fprintf(b, "    verdict \"%s\"\n    confidence %s\n    p_adjacent %s\n    p_direction %s\n", e.Verdict, gmlReal(e.Confidence), gmlReal(e.PAdjacent), gmlReal(e.PDirection))
		}
		if word := e.RestsOn(); word != "" {
			fmt.Fprintf(b, "    basis \"%s\"\n", word)
		}
		b.WriteString("  ]\n")
	}
	b.WriteString("]\n")
	return nil
}

func gmlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		if r < ' ' || r > '~' || r == '"' || r == '&' {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// gmlReal always writes a decimal point, because GML otherwise reads an integer.
func gmlReal(v float64) string {
	s := number(v)
	if strings.Contains(s, ".") {
		return s
	}
	mantissa, exponent, ok := strings.Cut(s, "e")
	if ok {
		return mantissa + ".0e" + exponent
	}
	return s + ".0"
}
