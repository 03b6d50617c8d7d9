package score_test

import (
	"fmt"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// drawn returns the graph of a simulated model, what its columns are, and n rows.
func drawn(cfg sim.Settings, seed uint64, d, edges, n int) (*graph.Graph, []bool, *matrix.Dense[float64]) {
	cfg.Seed, cfg.Nodes, cfg.Edges = seed, d, edges
	m, err := sim.New(cfg)
	if err != nil {
		panic(err)
	}
	categorical := make([]bool, d)
	for j, levels := range m.Levels() {
		categorical[j] = levels > 0
	}
	return m.Graph(), categorical, m.Sample(sim.Stream(seed, sim.StreamNoise), n)
}

// curvedTable draws a graph and n standardized rows. Additive: each variable is a sum of Gaussian-process
// functions of one parent each. Joint: one function of all parents, and roots of variance U(1, 2). The noise
// has variance U(0.4, 0.8).
func curvedTable(seed uint64, d, edges, n int, joint bool) (*graph.Graph, *matrix.Dense[float64]) {
	cfg := sim.Default()
	cfg.Mechanism, cfg.Variance, cfg.Standardize = sim.Additive, sim.Range{Low: 0.4, High: 0.8}, true
	if joint {
		cfg.Mechanism, cfg.RootVariance = sim.Joint, sim.Range{Low: 1, High: 2}
	}
	g, _, x := drawn(cfg, seed, d, edges, n)
	return g, x
}

// linearTable draws a graph and n standardized rows of linear effects ±[lo, hi] and Gaussian noise.
func linearTable(seed uint64, d, edges, n int, lo, hi float64) (*graph.Graph, *matrix.Dense[float64]) {
	cfg := sim.Default()
	cfg.WeightLow, cfg.WeightHigh, cfg.Standardize = lo, hi, true
	g, _, x := drawn(cfg, seed, d, edges, n)
	return g, x
}

// mixedTable draws a graph and n rows of which half of the columns are categorical.
func mixedTable(seed uint64, d, edges, n int) (*graph.Graph, []bool, *matrix.Dense[float64]) {
	cfg := sim.Default()
	cfg.Mechanism = sim.Mixed
	return drawn(cfg, seed, d, edges, n)
}

func names(d int) []string {
	out := make([]string, d)
	for j := range out {
		out[j] = fmt.Sprintf("x%d", j)
	}
	return out
}

func blocks(t testing.TB, x *matrix.Dense[float64], categorical []bool, s basis.Settings) *score.Blocks {
	t.Helper()
	return must.Get(basis.OfRows(names(x.Cols), categorical, x, s, 1))
}
