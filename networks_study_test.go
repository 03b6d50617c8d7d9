package polydag_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/sim"
)

// Networks and the search over orders on tables that networks made, by their defaults; docs/networks.md has the figures of POLYDAG_STUDY=1. The gate
// has a small table, on which every method finds more right than wrong edges in the units of the table.
func TestStudyNetworks(t *testing.T) {
	d, edges, n, tables, quick := 5, 6, 200, 1, true
	if os.Getenv("POLYDAG_STUDY") != "" {
		d, edges, n, tables, quick = 20, 40, 1000, 3, false
	}
	for _, c := range []struct {
		method string
		gate   string // settings that make it quick
		least  float64
	}{
		{"order model=smooth", "", 0.7},
		{"notears-mlp", "steps=400", 0.5},
		{"dagma-mlp", "stage-steps=300 last-steps=500 rate=0.01", 0.5},
		{"gran-dag", "steps=2000 rate=0.003", 0.3},
		{"dag-gnn", "passes=10", 0.1},
	} {
		for _, scale := range []string{"unit", "raw"} {
			f := strings.Fields(c.method)
			settings := append(f[1:], "scale="+scale)
			if quick {
				settings = append(settings, strings.Fields(c.gate)...)
			}
			var shd, f1, seconds float64
			for seed := range tables {
				cfg := sim.Default()
				cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.Seed = sim.MLP, d, edges, uint64(301+seed)
				s, truth := simulated(t, cfg, n)
				run := polydag.DefaultConfig()
				run.Method, run.CheckScale = using(t, f[0], settings...), polydag.CheckScaleNever
				res, err := prepared(t, s.plain()).Learn(context.Background(), run, polydag.Run{})
				if err != nil {
					t.Fatal(err)
				}
				m := metric.Compare(truth, res.Graph)
				shd += float64(m.SHD) / float64(tables)
				f1 += m.F1 / float64(tables)
				seconds += res.Timing.SolveSeconds / float64(tables)
				if !quick {
					t.Logf("%s, %s, table %d: SHD %v, F1 %.3f, %d edges, %s, %.0f s", c.method, scale, seed+1, m.SHD, m.F1, res.Graph.NumEdges(), res.Status, res.Timing.SolveSeconds)
				}
			}
			t.Logf("%s, %s: SHD %.1f, F1 %.2f, %.1f s", c.method, scale, shd, f1, seconds)
			if scale == "raw" && f1 < c.least {
				t.Errorf("%s: F1 %.2f, want at least %.2f", c.method, f1, c.least)
			}
		}
	}
}
