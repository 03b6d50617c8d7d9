package constraint

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// TestGainOfAnExchange checks the gain of 2 ↔ 3 on 0 → 2 ← 1, 2 → 3 ← 0: the penalty of the edge from 0 to 3, less its statistic without
// column 2, and the statistics of column 1, which 2 → 3 makes independent of column 3 given its parents, and 2 ↔ 3 without column 2.
func TestGainOfAnExchange(t *testing.T) {
	dag := graph.New(4)
	for _, e := range []graph.Edge{{From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 0, To: 3}} {
		dag.AddEdge(e.From, e.To)
	}
	z2 := map[float64]float64{0.05: 3.841458820694124, 0.2: 1.642374415149818, 0.001: 10.82756617006945, 1: 0} // R 4.2.2: qchisq(1 - p, 1)
	for _, c := range []struct{ edge, without, with float64 }{{1, 1, 1}, {0.05, 1, 1}, {0.05, 0.2, 1}, {0.05, 0.2, 0.001}, {1, 1, 0.05}} {
		s := New(fixed(func(x, y int, given []int) float64 {
			switch {
			case x == 0 && y == 3 && !slices.Contains(given, 2):
				return c.edge
			case x == 1 && y == 3 && slices.Contains(given, 2):
				return c.with
			case x == 1 && y == 3 && slices.Equal(given, []int{0}):
				return c.without
			}
			return 0
		}), false, Settings{MaxGiven: -1, Alpha: 0.01, Threads: 1})
		must.Succeed(t, s.Start(dag))
		must.Succeed(t, s.Bidirected(context.Background(), 500))
		want := math.Log(500) - z2[c.edge] - z2[c.without] + z2[c.with]
		if got, ok := s.HiddenGain(2, 3); !ok || math.Abs(got-want) > 1e-6 {
			t.Errorf("%+v: the gain is %v, want %v", c, got, want)
		}
	}
}

// TestSquaredQuantile checks the square of the normal quantile of a two-sided p-value.
func TestSquaredQuantile(t *testing.T) {
	for p, want := range map[float64]float64{1: 0, 0.05: 3.841458820694124, 1e-13: -2 * math.Log(1e-13), 0: -2 * math.Log(1e-300)} {
		if got := squared(p); math.Abs(got-want) > 1e-9*(1+want) {
			t.Errorf("p = %v: %v, want %v", p, got, want)
		}
	}
}

// TestPossibleSeparators checks possible d-separating sets on the path 0 → 1 ↔ 2 ↔ 3 ← 4 with a tail at 5: each inner node is a collider or
// in a triangle. The length of the path may be limited.
func TestPossibleSeparators(t *testing.T) {
	p := graph.NewPAG(7)
	p.Set(0, 1, graph.Circle, graph.Arrow)
	p.Set(1, 2, graph.Arrow, graph.Arrow)
	p.Set(2, 3, graph.Arrow, graph.Arrow)
	p.Set(4, 3, graph.Circle, graph.Arrow)
	p.Set(4, 5, graph.Circle, graph.Circle) // 4 is neither a collider nor in a triangle
	p.Set(0, 6, graph.Circle, graph.Circle)
	p.Set(1, 6, graph.Circle, graph.Circle) // 0, 1 and 6 form a triangle
	for _, c := range []struct {
		x, most int
		want    []int
	}{
		{0, 0, []int{1, 2, 3, 4, 6}},
		{0, 1, []int{1, 6}},
		{0, 2, []int{1, 2, 6}},
		{0, 3, []int{1, 2, 3, 6}},
		{0, 4, []int{1, 2, 3, 4, 6}},
		{5, 0, []int{4}},
	} {
		if got := possible(p, c.x, c.most); !slices.Equal(got, c.want) {
			t.Errorf("node %d with paths of at most %d edges: %v, want %v", c.x, c.most, got, c.want)
		}
	}
	// A path does not turn back: 4 would follow 2 as a collider only after 0, 1, 2, 3, 2.
	p = graph.NewPAG(5)
	p.Set(0, 1, graph.Circle, graph.Arrow)
	p.Set(2, 1, graph.Circle, graph.Arrow)
	p.Set(3, 1, graph.Circle, graph.Circle)
	p.Set(2, 3, graph.Arrow, graph.Arrow)
	p.Set(4, 2, graph.Circle, graph.Arrow)
	if got := possible(p, 0, 0); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("possible separators %v, want 1, 2 and 3", got)
	}
}

// TestKeepsKnowledge checks that a graph keeps a required edge only with both of its marks, and a forbidden one only with an arrowhead at its
// start.
func TestKeepsKnowledge(t *testing.T) {
	s := search(t, level(0), Settings{MaxGiven: 0, Required: []graph.Edge{{From: 0, To: 1}}, Forbidden: func(i, j int) bool { return i == 1 && j == 0 || i == 2 && j == 1 }})
	for _, c := range []struct {
		name  string
		first [2]graph.Mark // the marks of the edge between 0 and 1
		other [2]graph.Mark // the marks of the edge between 1 and 2
		want  bool
	}{
		{"both are kept", [2]graph.Mark{graph.Tail, graph.Arrow}, [2]graph.Mark{graph.Circle, graph.Arrow}, true},
		{"a bidirected edge", [2]graph.Mark{graph.Arrow, graph.Arrow}, [2]graph.Mark{graph.Circle, graph.Arrow}, false},
		{"an undirected edge", [2]graph.Mark{graph.Tail, graph.Tail}, [2]graph.Mark{graph.Circle, graph.Arrow}, false},
		{"a circle", [2]graph.Mark{graph.Tail, graph.Arrow}, [2]graph.Mark{graph.Arrow, graph.Circle}, false},
	} {
		p := graph.NewPAG(3)
		p.Set(0, 1, c.first[0], c.first[1])
		p.Set(1, 2, c.other[0], c.other[1])
		if got := s.keeps(p); got != c.want {
			t.Errorf("%s: kept is %v, want %v", c.name, got, c.want)
		}
	}
}

// TestStrongestParentIsKept checks that of two parents of column 3 which stay dependent without column 2, the one with the smaller p-value
// keeps its edge first. The other one is then independent.
func TestStrongestParentIsKept(t *testing.T) {
	dag := graph.New(4)
	for _, e := range []graph.Edge{{From: 0, To: 2}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 0, To: 3}, {From: 1, To: 3}} {
		dag.AddEdge(e.From, e.To)
	}
	for strongest := range 2 {
		s := New(fixed(func(x, y int, given []int) float64 {
			switch {
			case y != 3 || slices.Contains(given, 2):
				return 0
			case len(given) > 0:
				return 1
			case x == strongest:
				return 0.001
			}
			return 0.005
		}), false, Settings{MaxGiven: -1, Alpha: 0.01, Threads: 1})
		must.Succeed(t, s.Start(dag))
		must.Succeed(t, s.Bidirected(context.Background(), 1e6))
		if !s.adjacent(strongest, 3) || s.adjacent(1-strongest, 3) {
			t.Errorf("column %d depends the most: it keeps its edge %v, and the other one %v", strongest, s.adjacent(strongest, 3), s.adjacent(1-strongest, 3))
		}
	}
}
