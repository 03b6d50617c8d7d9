package study_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/lab/sim"
)

// TestStudyMethods prints the comparison of methods of docs/evidence/time-series.md, on the same tables for all.
func TestStudyMethods(t *testing.T) {
	tables, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if tables == 0 {
		t.Skip("it takes minutes: set POLYDAG_STUDY to the number of tables of each kind")
	}
	fmt.Println("| table | method | lagged edges: precision, recall | same time: precision, recall | stated directions right | all directions right | F1 | seconds |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, kind := range []struct {
		name   string
		n      int
		change func(*sim.SeriesSettings)
	}{
		{"linear 10 500", 500, func(c *sim.SeriesSettings) { c.Nodes = 10 }},
		{"linear 20 500", 500, func(c *sim.SeriesSettings) { c.Nodes = 20 }},
		{"linear 40 1000", 1000, func(c *sim.SeriesSettings) { c.Nodes = 40 }},
		{"weak (20 500)", 500, func(c *sim.SeriesSettings) { c.Nodes, c.WeightLow, c.WeightHigh = 20, 0.1, 0.3 }},
		{"laplace noise (20 1000)", 1000, func(c *sim.SeriesSettings) { c.Nodes, c.Noise = 20, sim.Laplace }},
	} {
		for _, name := range []string{"order", "var-lingam", "pcmci+", "dynotears"} {
			f := &figures{}
			for seed := range uint64(tables) {
				cfg := sim.DefaultSeries()
				cfg.Seed = studySeed(1000) + seed
				kind.change(&cfg)
				table, p := drawSeries(t, cfg, kind.n, dataset.TimeSettings{Lags: 2})
				c := polydag.DefaultConfig()
				c.Threads, c.CheckScale = 2, polydag.CheckScaleNever
				var err error
				if c.Method, err = lab.Find(name); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				res := must.Get(table.Learn(context.Background(), c, polydag.Run{}))
				f.seconds += time.Since(start).Seconds()
				f.add(p, res)
			}
			both := rate{f.lagged.found + f.present.found, f.lagged.hit + f.present.hit, f.lagged.truth + f.present.truth}
			fmt.Printf("| %s | %s | %.3f, %.3f | %.3f, %.3f | %d of %d (%.3f) | %.3f | %.3f | %.2f |\n", kind.name, name, f.lagged.precision(), f.lagged.recall(), f.present.precision(), f.present.recall(),
				f.right, f.stated, float64(f.right)/float64(max(1, f.stated)), float64(f.allRight)/float64(max(1, f.present.truth)), both.f1(), f.seconds/float64(tables))
		}
	}
}
