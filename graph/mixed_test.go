package graph

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestMixedReadEitherWay checks every pair of marks, set and read from both ends: Edges has one of six symbols, and the smaller node first if
// both marks are the same.
func TestMixedReadEitherWay(t *testing.T) {
	marks := []Mark{Tail, Arrow, Circle}
	for _, at1 := range marks {
		for _, at3 := range marks {
			for _, e := range []MarkedEdge{{Edge{1, 3}, at1, at3}, {Edge{3, 1}, at3, at1}} {
				m := NewMixed(KindAverage, 5)
				m.Set(MarkedEdge{Edge{0, 4}, Tail, Arrow})
				m.Set(e)
				if got, ok := m.Between(1, 3); !ok || got != (MarkedEdge{Edge{1, 3}, at1, at3}) {
					t.Errorf("%v is read as %v from 1", e, got)
				}
				if got, ok := m.Between(3, 1); !ok || got != (MarkedEdge{Edge{3, 1}, at3, at1}) {
					t.Errorf("%v is read as %v from 3", e, got)
				}
				list := m.Edges()
				if len(list) != 2 || m.NumEdges() != 2 {
					t.Fatalf("%v: %d edges, want 2", e, len(list))
				}
				got := list[1]
				if !slices.Contains(Symbols(), got.Symbol()) || at1 == at3 && got.From != 1 {
					t.Errorf("%v is listed as %d %s %d", e, got.From, got.Symbol(), got.To)
				}
				if at, ok := m.Between(got.From, got.To); !ok || at != got {
					t.Errorf("%v is listed as %v, want %v", e, got, at)
				}
				m.Remove(e.From, e.To)
				if _, ok := m.Between(1, 3); ok || m.NumEdges() != 1 {
					t.Errorf("%v is not removed", e)
				}
				dag := m.As(KindDAG) // a copy
				dag.Set(e)
				directed := at1 == Tail && at3 == Arrow || at1 == Arrow && at3 == Tail
				if err := dag.Check(); (err == nil) != directed || err != nil && !errors.Is(err, ErrKind) {
					t.Errorf("%v in a DAG: %v, want an error: %v", e, err, !directed)
				}
			}
		}
	}
}

// TestFaultsOfAMAG checks each condition of a MAG.
func TestFaultsOfAMAG(t *testing.T) {
	type edge struct {
		i, j     int
		atI, atJ Mark
	}
	for _, c := range []struct {
		name  string
		edges []edge
		want  string
	}{
		{"a chain", []edge{{0, 1, Tail, Arrow}, {1, 2, Tail, Arrow}}, ""},
		{"undirected edges", []edge{{0, 1, Tail, Tail}, {1, 2, Tail, Tail}}, ""},
		{"a circle", []edge{{0, 1, Circle, Arrow}}, "circle"},
		{"a circle at the second node", []edge{{0, 1, Tail, Circle}}, "circle"},
		{"a cycle", []edge{{0, 1, Tail, Arrow}, {1, 2, Tail, Arrow}, {2, 0, Tail, Arrow}}, "cycle"},
		{"↔ with a descendant", []edge{{0, 1, Tail, Arrow}, {1, 2, Tail, Arrow}, {0, 2, Arrow, Arrow}}, "ancestor"},
		{"an arrowhead at an undirected edge", []edge{{0, 1, Tail, Tail}, {2, 1, Tail, Arrow}, {0, 2, Tail, Tail}}, "undirected edge and an arrowhead"},
		{"↔ at an undirected edge", []edge{{0, 1, Tail, Tail}, {1, 2, Arrow, Arrow}, {0, 2, Arrow, Arrow}}, "undirected edge and an arrowhead"},
		{"an inducing path", []edge{{0, 1, Arrow, Arrow}, {1, 2, Arrow, Arrow}, {2, 3, Arrow, Arrow}, {1, 3, Tail, Arrow}, {2, 0, Tail, Arrow}}, "no edge joins 0 and 3"},
		{"colliders that are no ancestors", []edge{{0, 1, Arrow, Arrow}, {1, 2, Arrow, Arrow}, {2, 3, Arrow, Arrow}}, ""},
	} {
		p := NewPAG(4)
		for _, e := range c.edges {
			p.Set(e.i, e.j, e.atI, e.atJ)
		}
		err := p.CheckMAG()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
