package study

import (
	"strings"
	"testing"
)

// TestDesigns checks that a design and a graph of package sim reach the sample, and one that is not known is a
// fault with the choices.
func TestDesigns(t *testing.T) {
	const file = "methods: {m: {method: order}}\nexperiments: [{name: e, methods: [m], data: [{nodes: [30], samples: 200, graph: %GRAPH%, design: %DESIGN%}]}]\n"
	read := func(graph, design string) (*Study, error) {
		return Read(strings.NewReader(strings.NewReplacer("%GRAPH%", graph, "%DESIGN%", design).Replace(file)))
	}
	st, err := read("sfin", "anti")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := read("sfin", "plain")
	if err != nil {
		t.Fatal(err)
	}
	a, err := simulated(st.Experiments[0].Data[0].points()[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := simulated(plain.Experiments[0].Data[0].points()[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	if !a.truth.Equal(b.truth) || a.table.Rows.At(0, 0) == b.table.Rows.At(0, 0) {
		t.Error("the design did not change the sample, or changed the graph")
	}
	if _, err := read("er", "steep"); err == nil || !strings.Contains(err.Error(), `design "steep", want one of plain, iscm, flat, hetero, anti`) {
		t.Errorf("got %v", err)
	}
}
