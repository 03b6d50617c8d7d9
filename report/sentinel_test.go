package report

import (
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/trust"
)

// The first lines say which columns have codes for missing values and which are used as nominal.
func TestFirstLines(t *testing.T) {
	r := polydag.Result{Rows: 9, Names: []string{"a", "b"}, DataChecks: []trust.Finding{{Code: trust.Skewed, Columns: []string{"b"}}, {Code: trust.Sentinel, Columns: []string{"a"}}}}
	r.Nodes = []polydag.Node{{Name: "a", Kind: kind.Ordinal, Nominal: true}, {Name: "b", Kind: kind.Ordinal}}
	must.Contain(t, must.Text(t, TextWith(&r, TextSettings{})), "9 rows, 2 columns (1 ordinal, 1 nominal: a)\n",
		"\nEdges of a may be false: possible codes for missing values are used as numbers.\n")
}
