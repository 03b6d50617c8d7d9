package scores

import (
	"math"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/search"
)

// listed is a score of three columns by the number of a set of parents, whose bits are the parents.
type listed [3][8]float64

func (s *listed) Variables() int              { return 3 }
func (s *listed) Price() float64              { return 1 }
func (s *listed) Equivalent() bool            { return false }
func (s *listed) Evaluator() search.Evaluator { return s }

func (s *listed) Score(v int, parents []int) float64 {
	set := 0
	for _, p := range parents {
		set |= 1 << p
	}
	return s[v][set]
}

func (s *listed) Additions(dst []float64, v int, parents []int) {
	for x := range dst {
		dst[x] = s.Score(v, intset.With(parents, x))
	}
}

// The loss of reversing an edge is the difference of two whole scores. An edge beside another path cannot be reversed alone.
func TestReversalBits(t *testing.T) {
	s := &listed{}
	for v := range s {
		for set := range s[v] {
			s[v][set] = float64(7*v+3*set*set) + 0.5*float64(v*set)
		}
	}
	total := func(g *graph.Graph) (sum float64) {
		for v := range g.N() {
			sum += s.Score(v, g.Parents(v))
		}
		return sum
	}
	at := &ScoredTable{group: make([]int, 3), rows: []float64{50}}
	g := graph.FromParents([][]int{nil, {0}, {0, 1}})
	for _, e := range g.Edges() {
		turned := graph.New(3)
		for _, other := range g.Edges() {
			if other == e {
				other = graph.Edge{From: e.To, To: e.From}
			}
			turned.AddEdge(other.From, other.To)
		}
		bits := at.reversalBits(g, s, e.From, e.To)
		if turned.IsAcyclic() != (bits != nil) {
			t.Errorf("%v: %v bits", e, bits)
		}
		if want := (total(turned) - total(g)) / (2 * 50 * math.Ln2); bits != nil && math.Abs(*bits-want) > 1e-12 {
			t.Errorf("%v: %v bits, want %v", e, *bits, want)
		}
	}
}
