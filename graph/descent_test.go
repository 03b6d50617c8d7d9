package graph

import (
	"slices"
	"testing"
)

func TestDescents(t *testing.T) {
	g := New(4)
	for _, e := range []Edge{{0, 1}, {1, 2}, {0, 2}, {2, 3}} {
		g.AddEdge(e.From, e.To)
	}
	want := []Descent{{0, 1, 1}, {0, 2, 1}, {1, 2, 1}, {2, 3, 1}, {0, 3, 2}, {1, 3, 2}}
	if got := g.Descents(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	g.AddEdge(3, 0)
	if got := g.Descents(); len(got) != 16 || !slices.Contains(got, Descent{0, 0, 3}) {
		t.Errorf("with a cycle: %v", got)
	}
}
