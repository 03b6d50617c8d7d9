package report

import (
	"bytes"
	"fmt"
	"io"
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
func bnlearn(r *polydag.Result) func(io.Writer) error {
	return func(w io.Writer) error {
		in, err := incoming(r, "bnlearn")
		if err != nil {
			return err
		}
		var b bytes.Buffer
		for v, name := range r.Names {
			b.WriteString("[" + percent(name))
			for i, e := range in[v] {
				b.WriteString([]string{"|", ":"}[min(i, 1)] + percent(e.From))
			}
			b.WriteByte(']')
		}
		b.WriteByte('\n')
		_, err = b.WriteTo(w)
		return err
	}
}

func percent(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == 0x7f || strings.IndexByte("[]|:%", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
