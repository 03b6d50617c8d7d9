package trust

import (
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
)

// A certificate needs every node once in its order, and every edge forward.
func TestVerifyCertificate(t *testing.T) {
	edge := func(from, to string) []graph.Link { return []graph.Link{{From: from, To: to}} }
	for _, c := range []struct {
		what  string
		order []string
		nodes []string
		edges []graph.Link
		valid bool
	}{
		{"forward", []string{"a", "b", "c"}, []string{"c", "b", "a"}, edge("a", "c"), true},
		{"backward", []string{"a", "b", "c"}, []string{"a", "b", "c"}, edge("c", "a"), false},
		{"itself", []string{"a", "b", "c"}, []string{"a", "b", "c"}, edge("b", "b"), false},
		{"from an unknown node", []string{"a", "b", "c"}, []string{"a", "b", "c"}, edge("x", "c"), false},
		{"to an unknown node", []string{"a", "b", "c"}, []string{"a", "b", "c"}, edge("a", "x"), false},
		{"a node twice", []string{"a", "b", "b"}, []string{"a", "b"}, nil, false},
		{"a node is absent", []string{"a", "b"}, []string{"a", "c"}, nil, false},
		{"another node", []string{"a", "b", "c"}, []string{"a", "b"}, nil, false},
	} {
		if err := (Certificate{Order: c.order}).Verify(c.nodes, c.edges); (err == nil) != c.valid {
			t.Errorf("%s: %v, want valid: %v", c.what, err, c.valid)
		}
	}
}

// TestCertifyClass checks that a graph with marks that no equivalence class proves is certified as an average, not as a PAG.
func TestCertifyClass(t *testing.T) {
	end := func(from, to int, atFrom, atTo graph.Mark) graph.MarkedEdge {
		return graph.MarkedEdge{Edge: graph.Edge{From: from, To: to}, AtFrom: atFrom, AtTo: atTo}
	}
	collider := []graph.MarkedEdge{end(0, 1, graph.Circle, graph.Arrow), end(2, 1, graph.Circle, graph.Arrow)}
	square := append(slices.Clone(collider), end(2, 3, graph.Circle, graph.Circle), end(3, 0, graph.Circle, graph.Circle))
	for _, c := range []struct {
		what  string
		kind  graph.Kind
		edges []graph.MarkedEdge
		want  bool
	}{
		{"a collider", graph.KindPAG, collider, true},
		{"an arrow in a square without proof", graph.KindPAG, square, false},
		{"an average", graph.KindAverage, square, true},
	} {
		g := graph.NewMixed(c.kind, 4)
		for _, e := range c.edges {
			g.Set(e)
		}
		if got := Certify(g, []string{"a", "b", "c", "e"}); got.Holds != c.want || got.Kind != c.kind {
			t.Errorf("%s: %+v, want it to hold: %v", c.what, got, c.want)
		}
	}
}
