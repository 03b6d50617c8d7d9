package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/polydag/polydag"
)

// lavaan writes the graph as model syntax of R's lavaan: a regression y ~ x1 + x2 for each column with parents, and
// its variance, y ~~ y, for a column without edges. Names in lavaan are ASCII and have no quotes, so that a name
// that is not a name in R becomes what make.names makes of it: letters, digits, . and _ stay, all else is a dot. The
// comments that undo it are ASCII too, since R reads a file in the encoding of the machine.
//
//	model <- paste(readLines("graph.lav"), collapse = "\n")
//	fit <- lavaan::sem(model, read.csv("data.csv"))
//
// Reference: Rosseel, lavaan: an R package for structural equation modeling, JSS 48(2), 2012.
func lavaan(r *polydag.Result) func(io.Writer) error {
	return func(w io.Writer) error {
		in, err := incoming(r, "lavaan")
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
		var b bytes.Buffer
		comments(&b, "# ", "", table)
		for v, id := range ids {
			if !touched[v] {
				fmt.Fprintf(&b, "%s ~~ %s\n", id, id)
			}
			for i, e := range in[v] {
				if i == 0 {
					fmt.Fprintf(&b, "%s ~ %s", id, ids[index[e.From]])
				} else {
					fmt.Fprintf(&b, " + %s", ids[index[e.From]])
				}
			}
			if len(in[v]) > 0 {
				b.WriteByte('\n')
			}
		}
		_, err = b.WriteTo(w)
		return err
	}
}

// reservedR are the words that R keeps for itself, and efa, at which lavaan joins lines.
var reservedR = strings.Fields("if else repeat while function for next break TRUE FALSE NULL Inf NaN NA " +
	"NA_integer_ NA_real_ NA_complex_ NA_character_ in efa")

// makeName is R's make.names of one name, in the alphabet that lavaan takes: an X in front of what may not come first,
// a dot for each other character, a dot behind a reserved word.
func makeName(s string) string {
	begins := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	if s == "" || !begins(s[0]) && (s[0] != '.' || len(s) > 1 && digit(s[1])) {
		s = "X" + s
	}
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && (begins(byte(r)) || digit(byte(r)) || r == '.' || r == '_') {
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
