//go:build unix

package sample_test

import (
	"context"
	"math"
	"os"
	"strconv"
	"syscall"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/lab/sim"
)

func cpuSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return math.NaN()
	}
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6
}

// TestStudyER measures the expected distance and AUROC on standardized tables of ER graphs, n = 1000, with
// fitted odds of an edge as in polydag.Table.Posterior, and the CPU time of all chains. POLYDAG_STUDY is the
// first seed.
func TestStudyER(t *testing.T) {
	study(t)
	first := must.Get(strconv.ParseUint(os.Getenv("POLYDAG_STUDY"), 10, 64))
	for _, c := range []struct{ nodes, edges, seeds int }{{25, 40, 12}, {50, 80, 3}} {
		var distance, area, seconds float64
		seeds := float64(c.seeds)
		for seed := range uint64(c.seeds) {
			cfg := sim.Default()
			cfg.Nodes, cfg.Edges, cfg.Standardize, cfg.Seed = c.nodes, c.edges, true, first+seed
			truth, x := simulated(t, cfg, 1000)
			s := sample.DefaultSettings()
			s.Threads = 2
			before := cpuSeconds()
			problem := marginally(t, x, false, true, 0)
			odds := must.Get(sample.FitOdds(context.Background(), problem, 1/float64(c.nodes), s))
			problem.Score = sample.WithOdds(problem.Score, odds*float64(c.nodes))
			res := must.Get(sample.Run(context.Background(), problem, s, nil))
			took := cpuSeconds() - before
			e, a := expected(t, truth, res.Graphs), auroc(truth, res.Edge)
			t.Logf("p = %d, seed %d: odds %.3f, expected distance %.1f, AUROC %.4f, %.1f s of processor, R-hat %.3f, ESS %.0f, accepted %.2f, thin %d, moved %d", c.nodes, cfg.Seed, odds, e, a, took, res.RHat, res.ESS, res.Accepted, res.Thin, res.Moved)
			distance, area, seconds = distance+e/seeds, area+a/seeds, seconds+took/seeds
		}
		t.Logf("p = %d, %d edges: expected distance %.1f, AUROC %.4f, %.1f s of processor", c.nodes, c.edges, distance, area, seconds)
	}
}
