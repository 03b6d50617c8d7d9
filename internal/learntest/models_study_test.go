package learntest

import (
	"fmt"
	"os"
	"strings"
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
// POLYDAG_STUDY=1; without it, one small table of each kind is checked, with bounds of its own.
func TestStudyModels(t *testing.T) {
	study := os.Getenv("POLYDAG_STUDY") != ""
	type bounds struct{ f1, skeleton float64 }
	for _, c := range []struct {
		what        string
		mechanism   sim.Mechanism
		d, edges, n int
		chosen      string // models, any of which is right
		small, full bounds
	}{
		{"sums of curves", sim.Additive, 20, 40, 1000, "smooth", bounds{0.85, 0.85}, bounds{0.8, 0.8}},
		{"numbers and levels", sim.Mixed, 20, 40, 1000, "mixed", bounds{0.6, 0.85}, bounds{0.7, 0.8}},
		{"numbers and levels", sim.Mixed, 50, 100, 2000, "mixed", bounds{}, bounds{0.92, 0.96}},
		{"levels", sim.Discrete, 20, 40, 10000, "discrete, mixed", bounds{0.45, 0.75}, bounds{0.7, 0.75}},
	} {
		tables, least := 5, c.full
		if !study {
			if c.d > 20 {
				continue
			}
			tables, least, c.d, c.edges, c.n = 1, c.small, 10, 12, c.n/2
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
			if !strings.Contains(c.chosen, string(res.Model)) {
				t.Errorf("%s, seed %d: %+v", c.what, seed, res.Choice("model"))
			}
			f1 += metric.Compare(truth, res.Graph).F1 / float64(tables)
			skeleton += metric.Compare(skeletonOf(truth), skeletonOf(res.Graph)).F1 / float64(tables)
			seconds += res.Timing.SolveSeconds / float64(tables)
		}
		t.Logf("%s, %d columns, %d tables: F1 %.3f, skeleton %.3f, %.2f s", c.what, c.d, tables, f1, skeleton, seconds)
		if f1 < least.f1 || skeleton < least.skeleton {
			t.Errorf("%s, %d columns: F1 %.3f, skeleton %.3f, want at least %.2f and %.2f", c.what, c.d, f1, skeleton, least.f1, least.skeleton)
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
