package trust

import (
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
