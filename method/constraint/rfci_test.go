package constraint

import (
	"context"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
)

// A triple whose edge is gone is not inspected: its ends may be separated by any set.
func TestTriplesThatAreGone(t *testing.T) {
	for _, gone := range [][2]int{{0, 1}, {1, 2}} {
		tests := 0
		s := New(asked(func(int, int, []int) (bool, error) { tests++; return true, nil }), false, Settings{Alpha: 0.5, MaxGiven: -1})
		s.Begin([][]int{{1}, {0, 2}, {1}, nil})
		s.remove(gone[0], gone[1])
		s.separate(0, 2, nil)
		r := &rfci{Search: s, stopped: func() error { return nil }, worker: independence.WorkerOf(s.test)}
		if good := r.inspect([]Triple{{A: 0, Mid: 1, B: 2}}, nil); len(good) > 0 || tests > 0 {
			t.Errorf("without the edge %v: triples %v, %d tests, want none", gone, good, tests)
		}
	}
}

// RFCI tests nothing along paths whose ends no set separated, and keeps no triple that lost an edge to a later one.
func TestTriplesWithoutASet(t *testing.T) {
	tests := 0
	answer := asked(func(x, y int, given []int) (bool, error) {
		tests++
		return x == 1 && y == 2 && slices.Equal(given, []int{3}), nil
	})
	begin := func(near [][]int, forbidden func(i, j int) bool) *rfci {
		s := New(answer, false, Settings{Alpha: 0.5, MaxGiven: -1, Forbidden: forbidden})
		s.Begin(near)
		return &rfci{Search: s, stopped: func() error { return nil }, worker: independence.WorkerOf(s.test)}
	}
	r := begin([][]int{{1}, {0, 2}, {1}, nil}, func(i, j int) bool { return i != 1 && j != 1 })
	if good := r.inspect([]Triple{{A: 0, Mid: 1, B: 2}}, nil); len(good) > 0 || r.discard(r.circles(), []int{0, 1, 2}) || tests > 0 {
		t.Errorf("triples %v, %d tests, want none", good, tests)
	}
	// A triple stands by the empty set, but not by 3, given which 1 and 2 are independent.
	for _, mid := range []int{1, 2} {
		r = begin([][]int{{mid}, {2}, {1}, nil}, nil)
		r.state.Near[mid] = slices.Sorted(slices.Values([]int{0, 3 - mid}))
		r.state.Near[3] = []int{}
		r.separate(0, 3-mid, nil)
		good := r.inspect([]Triple{{A: 0, Mid: mid, B: 3 - mid}}, nil)
		if len(good) != 1 {
			t.Fatalf("triples %v, want 0 — %d — %d", good, mid, 3-mid)
		}
		r.separate(0, 3-mid, []int{3})
		if good := r.inspect([]Triple{{A: 0, Mid: mid, B: 3 - mid}}, nil); len(good) > 0 || r.adjacent(1, 2) {
			t.Errorf("triples %v, want none, because 1 — 2 is independent given 3", good)
		}
	}
}

// RFCI does not test a required edge.
func TestRequiredEdgesOfTriples(t *testing.T) {
	for _, c := range []struct {
		required []graph.Edge
		tests    int
	}{{nil, 2}, {[]graph.Edge{{From: 1, To: 0}}, 1}, {[]graph.Edge{{From: 1, To: 0}, {From: 1, To: 2}}, 0}} {
		tests := 0
		s := New(asked(func(int, int, []int) (bool, error) { tests++; return false, nil }), false, Settings{Alpha: 0.5, MaxGiven: -1, Required: c.required})
		s.Begin([][]int{{1}, {0, 2}, {1}, nil})
		s.separate(0, 2, nil)
		r := &rfci{Search: s, stopped: func() error { return nil }, worker: independence.WorkerOf(s.test)}
		if good := r.inspect([]Triple{{A: 0, Mid: 1, B: 2}}, nil); len(good) != 1 || tests != c.tests {
			t.Errorf("required %v: triples %v, %d tests, want one triple and %d tests", c.required, good, tests, c.tests)
		}
	}
}

// RFCI removes an edge with the smallest separating set and returns the new triples in ascending order. It keeps required edges, and paths whose ends
// knowledge keeps apart.
func TestEdgesThatRFCIRemoves(t *testing.T) {
	test := asked(func(x, y int, given []int) (bool, error) { return slices.Contains(given, 3), nil })
	begin := func(set Settings) *rfci {
		set.Alpha = 0.5
		s := New(test, false, set)
		s.Begin([][]int{{1, 2}, {0, 2}, {0, 1}, nil})
		return &rfci{Search: s, stopped: func() error { return nil }, worker: independence.WorkerOf(s.test)}
	}
	for _, ends := range [][2]int{{0, 2}, {2, 0}} {
		r := begin(every)
		made := r.cut(ends[0], ends[1], []int{1, 3}, nil)
		if set, ok := r.sepset(0, 2); !slices.Equal(made, []Triple{{A: 0, Mid: 1, B: 2}}) || r.adjacent(0, 2) || !ok || !slices.Equal(set, []int{3}) {
			t.Errorf("%v: triples %v, separated by %v, want 0 — 1 — 2 and 3", ends, made, set)
		}
	}
	for _, c := range []struct {
		name string
		set  Settings
		want bool
	}{
		{"no knowledge", every, true},
		{"required edges", Settings{MaxGiven: -1, Required: []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}}, false},
		{"ends kept apart", Settings{MaxGiven: -1, Forbidden: func(i, j int) bool { return i+j == 2 && i != j }}, false},
	} {
		r := begin(c.set)
		r.remove(0, 2)
		if c.name != "ends kept apart" {
			r.separate(0, 2, []int{3})
		}
		p := r.circles()
		if got := r.discard(p, []int{0, 1, 2}); got != c.want || p.Adjacent(0, 1) == c.want || r.err != nil {
			t.Errorf("%s: an edge was removed: %v, %v, want %v", c.name, got, r.err, c.want)
		}
	}
	// Bidirected reports conditions that are too large for the rows.
	few := New(asked(func(int, int, []int) (bool, error) { return false, independence.ErrRows }), false, Settings{Alpha: 0.5, MaxGiven: -1})
	must.Succeed(t, few.Start(graph.FromParents([][]int{nil, {0}, {0, 1}, nil})))
	if err := few.Bidirected(context.Background(), 100); err != nil || !few.Few() {
		t.Errorf("conditions too large for the rows: reported %v, %v", few.Few(), err)
	}
}
