package report

import (
	"bytes"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/score"
)

// gaussianNetwork writes a linear Gaussian network. Its syntax resembles the Interchange Format for Bayesian
// networks, BIF 0.15, which supports only discrete variables. BIF readers cannot read it, so its extension is
// .gbn. Given its parents, a column is normal with mean intercept + Σ coefficient·parent and the given
// variance; coefficients are in the order of the parents. Names are JSON strings. docs/reference/formats.md has
// the grammar.
func gaussianNetwork(r *polydag.Result, b *bytes.Buffer) error {
	in, err := incoming(r, Format{Name: "gbn"})
	if err != nil {
		return err
	}
	if r.Model == score.TableEffects {
		return fault.New(polydag.ErrNoSlopes, "a discrete model has probabilities and no coefficients", "write a .bif file instead, with %s", fault.Use("data"))
	}
	intercepts, err := r.Intercepts()
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "network \"polydag\" {\n  property %s;\n  property \"rows %d\";\n}\n", jsonString("method "+string(r.Method)), r.Rows)
	for _, name := range r.Names {
		fmt.Fprintf(b, "variable %s {\n  type continuous;\n}\n", jsonString(name))
	}
	for v, name := range r.Names {
		fmt.Fprintf(b, "probability ( %s", jsonString(name))
		for i, e := range in[v] {
			b.WriteString([]string{" | ", ", "}[min(i, 1)] + jsonString(e.From))
		}
		fmt.Fprintf(b, " ) {\n  intercept %s;\n", number(intercepts[v]))
		for i, e := range in[v] {
			b.WriteString([]string{"  coefficients ", ", "}[min(i, 1)] + number(e.Weight))
		}
		if len(in[v]) > 0 {
			b.WriteString(";\n")
		}
		fmt.Fprintf(b, "  variance %s;\n}\n", number(r.Nodes[v].ResidualVariance))
	}
	return nil
}
