package order

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// either draws the effect of two causes, with noise.
func either(rng *rand.Rand, a, b uint8) uint8 {
	if rng.IntN(10) == 0 {
		return uint8(rng.IntN(2))
	}
	return a | b
}

// contrary draws x, z, w and u. In all rows x and w are causes of z, except that with contrary, z and u are
// causes of x in every fourth row.
func contrary(t *testing.T, rows int, contrary bool) *score.Discrete {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	columns := make([][]uint8, 4)
	for i := range rows {
		w, u := uint8(rng.IntN(2)), uint8(rng.IntN(2))
		x := uint8(rng.IntN(2))
		z := either(rng, x, w)
		if contrary && i%4 == 3 {
			z = uint8(rng.IntN(2))
			x = either(rng, z, u)
		}
		for v, k := range []uint8{x, z, w, u} {
			columns[v] = append(columns[v], k)
		}
	}
	table, err := counts.New(columns, counts.Rows{})
	must.Succeed(t, err)
	s := must.Get(score.NewDiscrete(table, score.DefaultDiscrete()))
	return s
}

// TestTurned checks that a direction is reversed if every fourth row contradicts it, but not without those rows
// or with few rows.
func TestTurned(t *testing.T) {
	const x, z, w = 0, 1, 2
	g := graph.New(4)
	g.AddEdge(x, z)
	g.AddEdge(w, z)
	var full [][]int // without a budget
	l := &searcher{Method: New(), in: &method.Input{}}
	for _, c := range []struct {
		rows          int
		contrary      bool
		asked, turned bool
	}{{8000, true, true, true}, {8000, false, true, false}, {1900, true, false, false}} {
		turned := must.Get(l.reversedInPart(context.Background(), search.Problem{Score: contrary(t, c.rows, c.contrary)}, search.DefaultSettings(), g, full, "test"))
		if (turned != nil) != c.asked {
			t.Fatalf("%+v: asked %v", c, turned != nil)
		}
		if turned != nil && (turned[graph.Edge{From: x, To: z}] != c.turned || turned[graph.Edge{From: w, To: z}]) {
			t.Errorf("%+v: x → z turned: %v, w → z: %v", c, turned[graph.Edge{From: x, To: z}], turned[graph.Edge{From: w, To: z}])
		}
	}
	full = [][]int{x: {}, z: {x, w}, w: {x}, 3: {}} // without a budget nothing is fixed
	turned, err := l.reversedInPart(context.Background(), search.Problem{Score: contrary(t, 8000, false)}, search.DefaultSettings(), g, full, "test")
	if err != nil || !turned[graph.Edge{From: x, To: z}] || !turned[graph.Edge{From: w, To: z}] {
		t.Errorf("what the graph without a budget leaves open is not turned: %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if turned, err := l.reversedInPart(ended, search.Problem{Score: contrary(t, 8000, true)}, search.DefaultSettings(), g, full, "test"); turned != nil || err != nil {
		t.Errorf("after the end: %v", err)
	}
}

// TestChargeOfAPart checks that a part has its share of the charge per edge. A charge of 1600 for 8000 rows leaves the contrary edges in a
// quarter of them, whose effects gain more than 400 and less than 1600.
func TestChargeOfAPart(t *testing.T) {
	g := graph.New(4)
	g.AddEdge(0, 1)
	g.AddEdge(2, 1)
	s := search.DefaultSettings()
	s.Charge = 1600
	l := &searcher{Method: New(), in: &method.Input{}}
	turned := must.Get(l.reversedInPart(t.Context(), search.Problem{Score: contrary(t, 8000, true)}, s, g, nil, "test"))
	must.Same(t, turned[graph.Edge{From: 0, To: 1}], true, "reversed with a charge")
}
