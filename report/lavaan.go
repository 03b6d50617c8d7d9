package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag"
)

// lavaan writes the graph as model syntax of R's lavaan: a regression y ~ x1 + x2 for each column with parents,
// and its variance, y ~~ y, for a column without edges. A linear effect has its coefficient as the start value,
// start(0.5)*x1, so that lavaan estimates it again and simulateData uses it. An undirected edge is a covariance, x ~~ y. Names in lavaan are unquoted ASCII, so other names are
// converted as by make.names: letters, digits, . and _ stay, everything else becomes a dot. The comments that
// document this are ASCII too, because R reads a file in the local encoding.
//
//	model <- paste(readLines("graph.lav"), collapse = "\n")
//	fit <- lavaan::sem(model, read.csv("data.csv"))
//
// Reference: Rosseel, lavaan: an R package for structural equation modeling, JSS 48(2), 2012.
func lavaan(r *polydag.Result, b *bytes.Buffer) error {
	in, err := incoming(r, Format{Name: "lavaan", Undirected: true})
	if err != nil {
		return err
	}
	index, err := indexOf(r)
	if err != nil {
		return err
	}
	ids, table := aliases(r.Names, func(s string) bool { return makeName(s) == s }, makeName)
	for i, line := range table {
		table[i] = inASCII(line)
	}
	touched := make([]bool, len(r.Names))
	for _, e := range r.Edges {
		touched[index[e.From]], touched[index[e.To]] = true, true
	}
	comments(b, "# ", "", table)
	for v, id := range ids {
		if !touched[v] {
			fmt.Fprintf(b, "%s ~~ %s\n", id, id)
		}
		for i, e := range in[v] {
			if i == 0 {
				fmt.Fprintf(b, "%s ~ ", id)
			} else {
				b.WriteString(" + ")
			}
			if e.Weight != 0 {
				fmt.Fprintf(b, "start(%s)*", number(e.Weight))
			}
			b.WriteString(ids[index[e.From]])
		}
		if len(in[v]) > 0 {
			b.WriteByte('\n')
		}
	}
	for _, e := range r.Edges {
		if !e.Directed() {
			fmt.Fprintf(b, "%s ~~ %s\n", ids[index[e.From]], ids[index[e.To]])
		}
	}
	return nil
}

// reservedR are the reserved words of R, and efa, at which lavaan joins lines.
var reservedR = strings.Fields("if else repeat while function for next break TRUE FALSE NULL Inf NaN NA " +
	"NA_integer_ NA_real_ NA_complex_ NA_character_ in efa")

// makeName is R's make.names of one name, restricted to the characters of lavaan: an X before an invalid first
// character, a dot for each invalid character, a dot after a reserved word.
func makeName(s string) string {
	begins := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	if s == "" || !begins(s[0]) && (s[0] != '.' || len(s) > 1 && digit(s[1])) {
		s = "X" + s
	}
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && (begins(byte(r)) || digit(byte(r)) || r == '_') {
			return r
		}
		return '.'
	}, s)
	if slices.Contains(reservedR, s) || dots(s) {
		s += "."
	}
	return s
}

// dots reports whether s is ... or ..1, ..2, and so on, which R reserves.
func dots(s string) bool {
	rest, ok := strings.CutPrefix(s, "..")
	return ok && (rest == "." || rest != "" && strings.Trim(rest, "0123456789") == "")
}
