package learntest

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/metric"
)

// TestStudyWide prints seconds, memory and accuracy on tables with many columns and 1000 rows, on two threads. The memory is
// the peak of the process so far, and includes the simulated table twice. docs/evidence/speed.md has the figures of the command.
func TestStudyWide(t *testing.T) {
	study := os.Getenv("POLYDAG_STUDY")
	if study == "" {
		t.Skip("it takes minutes: set POLYDAG_STUDY=1, or POLYDAG_STUDY=large for 50,000 columns")
	}
	sizes := []int{5000, 10_000, 20_000}
	if study == "large" {
		sizes = append(sizes, 50_000)
	}
	for _, d := range sizes {
		cfg := sim.Default()
		cfg.Nodes, cfg.Degree, cfg.Standardize, cfg.Seed = d, 4, true, uint64(d)
		model := must.Get(sim.New(cfg))
		x, names := model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), 1000), model.Names()
		columns := make(polydag.Columns, d)
		for j := range columns {
			columns[j] = polydag.Column{Name: names[j], Numbers: make([]float64, x.Rows)}
			for i := range x.Rows {
				columns[j].Numbers[i] = x.At(i, j)
			}
		}
		start := time.Now()
		table := must.Get(polydag.FromColumns(columns...))
		settings := polydag.DefaultConfig()
		settings.Threads = 2
		res := must.Get(table.Learn(context.Background(), settings, polydag.Run{}))
		t.Logf("%d columns: %.1f s, F1 %.3f, skeleton F1 %.3f, %s", d, time.Since(start).Seconds(),
			metric.Directed(model.Graph(), res.Graph).F1(), metric.Skeleton(model.Graph(), res.Graph).F1(), peak())
	}
}

// peak is the line of the kernel about the peak memory of this process, or "".
func peak() string {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "VmHWM:") {
			return strings.Join(strings.Fields(line), " ")
		}
	}
	return ""
}
