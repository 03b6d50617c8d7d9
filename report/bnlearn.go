package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/polydag/polydag"
)

// bnlearn writes the model string of R's bnlearn on one line: [a][b|a:c] for each column and its parents.
//
//	net <- bnlearn::model2network(readLines("graph.bnlearn"))
//
// [ ] | : are its syntax, and it has no quotes. So these, control characters and % are percent-encoded in
// UTF-8, as in a URL. Other names are unchanged. In R this undoes it:
//
//	bnlearn::nodes(net) <- vapply(bnlearn::nodes(net), URLdecode, "")
//
// Reference: Scutari, Learning Bayesian networks with the bnlearn R package, JSS 35(3), 2010.
func bnlearn(r *polydag.Result, b *bytes.Buffer) error {
	in, err := incoming(r, Format{Name: "bnlearn"})
	if err != nil {
		return err
	}
	for v, name := range r.Names {
		b.WriteString("[" + percent(name))
		for i, e := range in[v] {
			b.WriteString([]string{"|", ":"}[min(i, 1)] + percent(e.From))
		}
		b.WriteByte(']')
	}
	b.WriteByte('\n')
	return nil
}

func percent(s string) string { return percentOf(s, "[]|:%") }

// percentOf percent-encodes signs and control characters.
func percentOf(s, signs string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == 0x7f || strings.IndexByte(signs, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
