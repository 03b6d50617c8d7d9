package learntest

import (
	"fmt"
	"os"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/sim"
)

// simulated draws a table of package sim as text, and its graph.
func simulated(t testing.TB, cfg sim.Config, n int) (*sheet, *graph.Graph) {
	t.Helper()
	m, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	x, levels := m.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), n), m.Levels()
	s := &sheet{}
	for j, name := range m.Names() {
		s.add(name, n, func(i int) string {
			if levels[j] > 0 {
				return fmt.Sprintf("v%.0f", x.At(i, j))
			}
			return fmt.Sprintf("%.6f", x.At(i, j))
		})
	}
	return s, m.Graph()
}

// TestStudyModels learns tables of package sim with the default settings. docs/explanation/models.md has the figures of
// POLYDAG_STUDY=1; without it, one small table of each kind is checked.
func TestStudyModels(t *testing.T) {
	study := os.Getenv("POLYDAG_STUDY") != ""
	for _, c := range []struct {
		what                  string
		mechanism             sim.Mechanism
		d, edges, n           int
		chosen                string
		least, skeleton       float64 // of the small table
		leastMany, leastOther float64 // of five tables
	}{
		{"sums of curves", sim.Additive, 20, 40, 1000, "smooth", 0.85, 0.85, 0, 0},
		{"numbers and levels", sim.Mixed, 20, 40, 1000, "mixed", 0.6, 0.85, 0, 0},
		{"numbers and levels", sim.Mixed, 50, 100, 2000, "mixed", 0, 0, 0.92, 0.96},
		{"levels", sim.Discrete, 20, 40, 10000, "discrete", 0, 0.75, 0, 0},
	} {
		tables := 5
		if !study {
			if c.d > 20 {
				continue
			}
			tables, c.d, c.edges, c.n = 1, 10, 12, c.n/2
		}
		var f1, seconds, skeleton float64
		for seed := range tables {
			cfg := sim.Default()
			cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.Seed = c.mechanism, c.d, c.edges, uint64(101+seed)
			if c.mechanism == sim.Additive {
				cfg.Variance, cfg.Standardize = sim.Range{Low: 0.4, High: 0.8}, true
			}
			s, truth := simulated(t, cfg, c.n)
			table := prepared(t, s.plain())
			res := learnedFrom(t, table, nil)
			if string(res.Model) != c.chosen {
				t.Errorf("%s, seed %d: %+v", c.what, seed, res.Choice("model"))
			}
			f1 += metric.Compare(truth, res.Graph).F1 / float64(tables)
			skeleton += metric.Compare(skeletonOf(truth), skeletonOf(res.Graph)).F1 / float64(tables)
			seconds += res.Timing.SolveSeconds / float64(tables)
		}
		t.Logf("%s, %d columns, %d tables: F1 %.3f, skeleton %.3f, %.2f s", c.what, c.d, tables, f1, skeleton, seconds)
		if f1 < c.least || skeleton < c.skeleton || study && (f1 < c.leastMany || skeleton < c.leastOther) {
			t.Errorf("%s, %d columns: F1 %.3f, skeleton %.3f", c.what, c.d, f1, skeleton)
		}
	}
}

// skeletonOf turns every edge from the smaller to the larger number.
func skeletonOf(g *graph.Graph) *graph.Graph {
	out := graph.New(g.N())
	for _, e := range g.Edges() {
		out.AddEdge(min(e.From, e.To), max(e.From, e.To))
	}
	return out
}
