package score_test

import (
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
	"github.com/polydag/polydag/sim"
)

// On binary tables with additive effects the equivalence class is nearer with both forms than with full tables alone.
func TestAdditiveTablesOfSim(t *testing.T) {
	var sums [2]int
	for seed := uint64(21); seed < 24; seed++ {
		cfg := sim.Default()
		cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.LevelsLow, cfg.LevelsHigh, cfg.Seed = sim.Logit, 15, 22, 2, 2, seed
		m, err := sim.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		x := m.Sample(rand.New(rand.NewPCG(seed, 1)), 2000)
		columns := make([][]int, cfg.Nodes)
		for v := range columns {
			for i := range 2000 {
				columns[v] = append(columns[v], int(x.At(i, v)))
			}
		}
		truth := graph.New(cfg.Nodes)
		for _, e := range m.Edges() {
			truth.AddEdge(e.From, e.To)
		}
		for k, form := range []score.Tables{score.FullTables, score.EitherTables} {
			s := score.DefaultDiscrete()
			s.Tables = form
			sums[k] += find(t, discrete(t, columns, counts.Rows{}, s), truth, search.DefaultSettings()).shd
		}
	}
	t.Logf("distances: full tables %d, both forms %d", sums[0], sums[1])
	if sums[1] > 6 || sums[1] >= sums[0] {
		t.Errorf("distances: full tables %d, both forms %d", sums[0], sums[1])
	}
}
