package graphtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

func TestSettingsOutOfRange(t *testing.T) {
	never := func(int, int, []int) (float64, float64) { return 1, 0 }
	for _, c := range []struct {
		level  float64
		graphs int
		valid  bool
	}{{0.025, 0, true}, {0.999, 1, true}, {0, 1, false}, {1, 1, false}, {-1, 1, false}, {0.025, -1, false}} {
		_, err := Run(t.Context(), never, "", 100, []string{"a", "b"}, graph.New(2), Settings{Level: c.level, Graphs: c.graphs})
		if (err == nil) != c.valid {
			t.Errorf("level %v and %d graphs: %v", c.level, c.graphs, err)
		}
	}
}

// A graph without a refuted condition is compatible if less than half of the random graphs are not refuted either. a → b → c says that the
// ends are independent given the middle, and each column is the middle of a third of the random graphs.
func TestPowerAgainstRandomGraphs(t *testing.T) {
	g := must.Get(graph.FromEdges(3, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}))
	for rejected, want := range map[int]Verdict{1: LowPower, 2: Compatible} { // two thirds and one third of the graphs are not refuted
		test := func(x, y int, given []int) (float64, float64) {
			if len(given) == 1 && (given[0] == 0 || given[0] == 2 && rejected == 2) {
				return 1e-9, 1
			}
			return 0.9, 0
		}
		r := must.Get(Run(t.Context(), test, "", 100, []string{"a", "b", "c"}, g, Settings{Level: 0.025, Graphs: 300, Seed: 3}))
		if r.Verdict != want {
			t.Errorf("%.2f of the graphs are not refuted: %s, want %s", r.Random.Unrefuted, r.Verdict, want)
		}
		must.Near(t, r.Random.Unrefuted, 1-float64(rejected)/3, 0.1, "share of graphs not refuted")
	}
}

// Repairs are proposed only on request, one change at a time, each of which leaves fewer refuted conditions, and at most 20.
func TestRepairsOneByOne(t *testing.T) {
	always := func(int, int, []int) (float64, float64) { return 1e-9, 1 }
	names := make([]string, 8) // 28 pairs
	for i := range names {
		names[i] = fmt.Sprintf("x%d", i)
	}
	s := Settings{Level: 0.025}
	r, err := Run(t.Context(), always, "", 100, names, graph.New(8), s)
	if err != nil || r.Repair != nil || len(r.Refuted) != 28 || r.Random != nil {
		t.Fatalf("without a request: %+v, %v", r, err)
	}
	s.Repair = true
	if r, err = Run(t.Context(), always, "", 100, names, graph.New(8), s); err != nil || len(r.Repair) != 20 {
		t.Fatalf("%d changes, %v, want 20", len(r.Repair), err)
	}
	before := 28
	for _, c := range r.Repair {
		if c.Do != "add" || c.Refuted != before-1 {
			t.Errorf("%+v after %d refuted conditions", c, before)
		}
		before = c.Refuted
	}
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	stop(enough)
	if _, err := Run(ctx, always, "", 100, names, graph.New(8), s); !errors.Is(err, enough) {
		t.Errorf("stopped: %v", err)
	}
}

// A table of many columns is compared with fewer random graphs: 20,000 tests, and at least 20 graphs.
func TestNumberOfRandomGraphs(t *testing.T) {
	never := func(int, int, []int) (float64, float64) { return 1, 0 }
	for _, c := range []struct{ columns, graphs, want int }{{5, 3000, 2222}, {5, 50, 50}, {60, 3000, 20}, {5, 0, 0}} {
		names := make([]string, c.columns)
		for i := range names {
			names[i] = fmt.Sprintf("x%03d", i)
		}
		g := must.Get(graph.FromEdges(c.columns, []graph.Edge{{From: 0, To: 1}}))
		r := must.Get(Run(t.Context(), never, "", 100, names, g, Settings{Level: 0.025, Graphs: c.graphs, Seed: 1}))
		got := 0
		if r.Random != nil {
			got = r.Random.Graphs
		}
		if got != c.want {
			t.Errorf("%d columns with %d conditions, %d graphs requested: %d, want %d", c.columns, r.Conditions, c.graphs, got, c.want)
		}
	}
	if r, err := Run(t.Context(), never, "", 100, []string{"a", "b"}, graph.New(2), DefaultSettings()); err != nil || r.Random != nil || r.Verdict != Compatible {
		t.Errorf("a graph without edges: %+v, %v", r, err)
	}
}
