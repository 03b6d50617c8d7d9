package eliminate

import (
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
)

// TestRoom checks that simultaneous allocations do not overlap and that free memory is reused.
func TestRoom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	var r room
	var held []span
	all := 0
	for range 2000 {
		if len(held) > 0 && (len(held) > 20 || rng.IntN(2) == 0) {
			i := rng.IntN(len(held))
			r.free(held[i])
			held = append(held[:i], held[i+1:]...)
			continue
		}
		s := r.take(1 + rng.IntN(50))
		all += s.n
		for _, x := range held {
			if s.at < x.at+x.n && x.at < s.at+s.n {
				t.Fatalf("%v and %v are held at the same time", s, x)
			}
		}
		if s.at+s.n > r.most {
			t.Fatalf("%v is beyond the %d cells of the memory", s, r.most)
		}
		held = append(held, s)
	}
	if r.most > all/10 {
		t.Errorf("%d cells for %d of which few are held at a time", r.most, all)
	}
}

// binary is a model over columns of two levels, without rows: enough to plan with.
func binary(g *graph.Graph) *Model {
	d := &mechanism.Rows{Levels: make([][]float64, g.N())}
	for v := range d.Levels {
		d.Levels[v] = []float64{0, 1}
	}
	return NewModel(g, d, 0)
}

// TestRoomOfChain checks that a chain of any length holds two messages at a time.
func TestRoomOfChain(t *testing.T) {
	g := graph.New(50)
	for v := range 49 {
		g.AddEdge(v, v+1)
	}
	m := binary(g)
	n := m.network(nil)
	target := m.place(n, m.set(n, map[int]int{}, 0, 0), 49)
	if p := NewPlan(n, target); p.room > 4 {
		t.Errorf("an elimination along a chain holds %d cells, want two messages of 2", p.room)
	}
}

// TestRoomOfPassIsBounded checks on a complete graph that a pass with too large products is refused, and one of
// half their size is not. A single elimination needs less memory and is not refused.
func TestRoomOfPassIsBounded(t *testing.T) {
	for _, d := range []int{20, 21} {
		g := graph.New(d)
		for v := range d {
			for u := range v {
				g.AddEdge(u, v)
			}
		}
		m := binary(g)
		p, n := m.NewPass(0, []int{d - 1})
		if (p == nil) != (d == 21) || p != nil && p.room > passRoom {
			t.Errorf("a pass over %d columns: %t", d, p != nil)
		}
		if plan := NewPlan(n, len(n.Nodes)-1); plan == nil || plan.room > passRoom {
			t.Errorf("there is no elimination over %d columns within the room of a pass", d)
		}
	}
}
