package constraint

import (
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// TestKnowledgeIsMarked checks that a forbidden edge i → j gives an arrowhead at i, because j may still cause i or share a hidden cause with
// it, and that a required edge is directed.
func TestKnowledgeIsMarked(t *testing.T) {
	r := matrix.New[float64](3, 3)
	for i := range 3 {
		r.Set(i, i, 1)
	}
	test := must.Get(independence.NewFisherZ(r, 100))
	s := New(test, false, Settings{Forbidden: func(i, j int) bool { return i == 0 && j == 1 }, Required: []graph.Edge{{From: 2, To: 1}}})
	p := graph.NewPAG(3)
	p.Set(0, 1, graph.Circle, graph.Circle)
	p.Set(1, 2, graph.Circle, graph.Circle)
	s.know(p)
	if p.At(1, 0) != graph.Arrow || p.At(0, 1) != graph.Circle {
		t.Errorf("0 → 1 is forbidden: %v at 0 and %v at 1", p.At(1, 0), p.At(0, 1))
	}
	if p.At(1, 2) != graph.Tail || p.At(2, 1) != graph.Arrow {
		t.Errorf("2 → 1 is required: %v at 2 and %v at 1", p.At(1, 2), p.At(2, 1))
	}
}
