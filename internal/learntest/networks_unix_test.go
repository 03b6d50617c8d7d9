//go:build unix

package learntest

import (
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/metric"
)

// processorSeconds is the time that this process has spent on processors.
func processorSeconds(t *testing.T) float64 {
	var u syscall.Rusage
	must.Succeed(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6
}

// TestStudyNetworks compares networks and the order search on tables simulated by networks, with their
// defaults, standardized and in raw units. lab/docs/evidence.md has the figures of POLYDAG_STUDY=1, the
// number of tables of 20 columns. By default there is one small table and few steps.
func TestStudyNetworks(t *testing.T) {
	d, edges, n := 20, 40, 1000
	tables, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	quick := tables == 0
	if quick {
		d, edges, n, tables = 5, 6, 200, 1
	}
	only := os.Getenv("POLYDAG_STUDY_ONLY") // part of a line, such as "gran-dag, raw"
	for _, scale := range []string{"unit", "raw"} {
		for _, c := range []struct {
			method string
			gate   string  // settings that make it quick
			least  float64 // F1 of the small table, in its units
		}{
			{"order model=smooth", "", 0.7},
			{"dag-gnn", "passes=10 steps=1000", 0.1},
			{"notears-mlp", "steps=400", 0.5},
			{"gran-dag", "steps=1000 rate=0.003", 0.3},
			{"dagma-mlp", "stage-steps=300 last-steps=500 rate=0.01", 0.5},
		} {
			f := strings.Fields(c.method)
			settings := append(f[1:], "scale="+scale)
			if quick {
				settings = append(settings, strings.Fields(c.gate)...)
			}
			if !strings.Contains(c.method+", "+scale, only) || quick && scale != "raw" {
				continue
			}
			var shd, f1, seconds float64
			for table := range tables {
				cfg := sim.Default()
				cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.Seed = sim.MLP, d, edges, uint64(301+table)
				s, truth := simulated(t, cfg, n)
				run := polydag.DefaultConfig()
				run.Method, run.CheckScale, run.Threads = using(t, f[0], settings...), polydag.CheckScaleNever, 1
				from := processorSeconds(t)
				res := must.Get(prepared(t, s.plain()).Learn(context.Background(), run, polydag.Run{}))
				took, m := processorSeconds(t)-from, metric.Compare(truth, res.Graph)
				t.Logf("%s, %s, table %d: SHD %v, F1 %.3f, %d edges, %s, %.1f s", c.method, scale, table+1, m.SHD, m.F1, res.Graph.NumEdges(), res.Status, took)
				shd += float64(m.SHD) / float64(tables)
				f1 += m.F1 / float64(tables)
				seconds += took / float64(tables)
			}
			t.Logf("%s, %s: SHD %.1f, F1 %.2f, %.1f s", c.method, scale, shd, f1, seconds)
			if quick && scale == "raw" && f1 < c.least {
				t.Errorf("%s: F1 %.2f, want at least %.2f", c.method, f1, c.least)
			}
		}
	}
}

// TestStudyGranDAG runs GraN-DAG on the tables of its paper: functions of all parents from a Gaussian process,
// noise of variance 0.4 to 0.8 and roots of 1 to 2, standardized, 10 columns with 10 edges, 1000 rows.
// lab/docs/evidence.md compares the figures with the published ones.
func TestStudyGranDAG(t *testing.T) {
	tables, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if tables == 0 {
		t.Skip("minutes of training: set POLYDAG_STUDY to a number of tables, and -v to see the figures")
	}
	for table := range tables {
		cfg := sim.Default()
		cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.Seed = sim.Joint, 10, 10, uint64(401+table)
		cfg.Variance, cfg.RootVariance, cfg.Standardize = sim.Range{Low: 0.4, High: 0.8}, sim.Range{Low: 1, High: 2}, true
		s, truth := simulated(t, cfg, 1000)
		for _, name := range []string{"order model=smooth", "gran-dag"} {
			f := strings.Fields(name)
			run := polydag.DefaultConfig()
			run.Method, run.CheckScale, run.Threads = using(t, f[0], f[1:]...), polydag.CheckScaleNever, 1
			from := processorSeconds(t)
			res := must.Get(prepared(t, s.plain()).Learn(context.Background(), run, polydag.Run{}))
			m := metric.Compare(truth, res.Graph)
			t.Logf("%s, table %d: SHD %v, F1 %.3f, %d edges, %s, %.1f s", name, table+1, m.SHD, m.F1, res.Graph.NumEdges(), res.Status, processorSeconds(t)-from)
			if f[0] == "gran-dag" && m.SHD > 8 {
				t.Errorf("SHD %v: the paper has 1.7 in the mean", m.SHD)
			}
		}
	}
}
