package bif

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// plain is a name that needs no quotes.
var plain = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.<>=+-]*$`)

// name returns a name as a token. BIF has no escape for a double quote.
func name(s string) (string, error) {
	switch {
	case plain.MatchString(s):
		return s, nil
	case s == "" || strings.ContainsAny(s, "\"\n\r"):
		return "", fmt.Errorf("bif: the name %q is empty or has a quotation mark or a line end, which BIF cannot hold; rename it", s)
	}
	return `"` + s + `"`, nil
}

// Write writes the network in BIF, as Read reads it.
func (n *Network) Write(w io.Writer) error {
	var b bytes.Buffer
	var fault error
	token := func(s string) string {
		out, err := name(s)
		if err != nil && fault == nil {
			fault = err
		}
		return out
	}
	tokens := func(list []string) string {
		out := make([]string, len(list))
		for i, s := range list {
			out[i] = token(s)
		}
		return strings.Join(out, ", ")
	}
	fmt.Fprintf(&b, "network %s {\n}\n", token(n.Name))
	for _, v := range n.Variables {
		fmt.Fprintf(&b, "variable %s {\n  type discrete [ %d ] { %s };\n}\n", token(v.Name), len(v.Levels), tokens(v.Levels))
	}
	for _, v := range n.Variables {
		var parents []string
		for _, p := range v.Parents {
			parents = append(parents, n.Variables[p].Name)
		}
		if len(parents) == 0 {
			fmt.Fprintf(&b, "probability ( %s ) {\n  table %s;\n}\n", token(v.Name), numbers(v.Table, ", "))
			continue
		}
		fmt.Fprintf(&b, "probability ( %s | %s ) {\n", token(v.Name), tokens(parents))
		for j := range len(v.Table) / len(v.Levels) {
			fmt.Fprintf(&b, "  (%s) %s;\n", tokens(n.configuration(&v, j)), numbers(v.Table[j*len(v.Levels):(j+1)*len(v.Levels)], ", "))
		}
		b.WriteString("}\n")
	}
	if fault != nil {
		return fault
	}
	_, err := b.WriteTo(w)
	return err
}

// configuration returns the levels of the parents in configuration j.
func (n *Network) configuration(v *Variable, j int) []string {
	out := make([]string, len(v.Parents))
	for i := len(v.Parents) - 1; i >= 0; i-- {
		levels := n.Variables[v.Parents[i]].Levels
		out[i] = levels[j%len(levels)]
		j /= len(levels)
	}
	return out
}

func numbers(p []float64, between string) string {
	out := make([]string, len(p))
	for i, x := range p {
		out[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(out, between)
}
