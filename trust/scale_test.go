package trust

import (
	"strings"
	"testing"

	"github.com/polydag/polydag/graph"
)

// TestAgreementOfScales checks the share of edges that two graphs have in common, and where its words change: at 0.9 and at 0.5.
func TestAgreementOfScales(t *testing.T) {
	names := columnNames(12)
	star := func(from, to int, reversed bool) *graph.Graph {
		g := graph.New(12)
		for v := from; v < to; v++ {
			if reversed {
				g.AddEdge(v, 0)
			} else {
				g.AddEdge(0, v)
			}
		}
		return g
	}
	for _, c := range []struct {
		what              string
		raw, standardized *graph.Graph
		agreement         float64
		says              string
	}{
		{"no edges", graph.New(12), graph.New(12), 1, "No edges"},
		{"nine of ten", star(1, 10, false), star(1, 11, false), 0.9, "9 of 10 edges agree between raw and standardized columns (90 %): the graph hardly depends"},
		{"eight of nine", star(1, 10, false), star(2, 10, false), 8. / 9, "part of the graph depends"},
		{"half", star(1, 3, false), star(2, 3, false), 0.5, "part of the graph depends"},
		{"a third", star(1, 4, false), star(3, 4, false), 1. / 3, "the graph depends on units; use"},
		{"reversed", star(1, 3, false), star(1, 3, true), 0, "0 of 2 edges"},
	} {
		got := CompareScales(c.raw, c.standardized, names)
		if got.Agreement != c.agreement || !strings.Contains(got.Sentence, c.says) {
			t.Errorf("%s: agreement %v: %q, want %v and %q", c.what, got.Agreement, got.Sentence, c.agreement, c.says)
		}
	}
}
