package explain

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

func laggedEdge(from, to string, lag int, weight float64) Edge {
	return Edge{Link: graph.Link{From: from, To: to}, Weight: weight, Lag: lag}
}

// TestLagged checks effects, times and adjustment sets of a process against values by hand: x → x with 0.5 and y → y with 0.4 after one
// step, x → y with 2 after two steps, y → x with 0.1 after one.
func TestLagged(t *testing.T) {
	names := []string{"x", "y"}
	edges := []Edge{laggedEdge("x", "x", 1, 0.5), laggedEdge("x", "y", 2, 2), laggedEdge("y", "y", 1, 0.4), laggedEdge("y", "x", 1, 0.1)}
	for _, c := range []struct {
		from, to, node string
		total          float64
		set            []string
	}{
		{"x", "y", "x(t-2)", 2, []string{"x(t-3)", "y(t-3)"}},
		{"x(t-2)", "y", "x(t-2)", 2, []string{"x(t-3)", "y(t-3)"}},
		{"x(t-3)", "y", "x(t-3)", 2*0.5 + 0.4*2, []string{"x(t-4)", "y(t-4)"}},
		{"x", "x", "x(t-1)", 0.5, []string{"x(t-2)", "y(t-2)"}},
		{"x(t)", "y", "x", 0, []string{"x(t-1)", "y(t-1)"}},
	} {
		m, node, err := NewLagged(names, edges, c.from, c.to)
		if err != nil || node != c.node {
			t.Fatalf("%s: %s, %v", c.from, node, err)
		}
		e := must.Get(m.Between(node, c.to, DefaultSettings()))
		if !(math.Abs(*e.TotalEffect-c.total) <= 1e-12) {
			t.Errorf("%s on %s: %g, want %g", c.from, c.to, *e.TotalEffect, c.total)
		}
		if got := e.Adjustment.Set; !e.Adjustment.Exists || !slices.Equal(got, c.set) {
			t.Errorf("%s on %s: adjust for %v, want %v", c.from, c.to, got, c.set)
		}
		if slices.Contains(e.Adjustment.Set, Earlier) {
			t.Errorf("%s on %s: the set has a value that no table has", c.from, c.to)
		}
	}
	for _, from := range []string{"z", "z(t-1)", "x(t-60)"} {
		if _, _, err := NewLagged(names, edges, from, "y"); !errors.Is(err, ErrName) {
			t.Errorf("%s: %v", from, err)
		}
	}
}

// TestEarlierValues checks that the first step of the model does not remove confounding: x and y are both effects of z of the step
// before, which is one more step back than the lags of x on y.
func TestEarlierValues(t *testing.T) {
	edges := []Edge{laggedEdge("z", "z", 1, 0.9), laggedEdge("z", "x", 1, 1), laggedEdge("z", "y", 0, 1)}
	m, node, err := NewLagged([]string{"x", "y", "z"}, edges, "x", "y")
	must.Succeed(t, err)
	e, err := m.Between(node, "y", DefaultSettings())
	if err != nil || !slices.Equal(e.Adjustment.Set, []string{"z(t-1)"}) {
		t.Errorf("%v, %v", e.Adjustment, err)
	}
}
