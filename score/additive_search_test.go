package score_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// On binary tables with additive effects the equivalence class is nearer with both forms than with full tables alone.
func TestAdditiveTablesOfSim(t *testing.T) {
	var sums [2]int
	for seed := uint64(21); seed < 24; seed++ {
		cfg := sim.Default()
		cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.LevelsLow, cfg.LevelsHigh, cfg.Seed = sim.Logit, 15, 22, 2, 2, seed
		m := must.Get(sim.New(cfg))
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

// Logit has no limit of configurations, and equals the score of additive effects where that is within it.
func TestLogitIsTheAdditiveScore(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	const n = 600
	columns := make([][]int, 6)
	for j := range columns {
		columns[j] = make([]int, n)
		for i := range n {
			columns[j][i] = rng.IntN(5)
			if j > 0 && rng.Float64() < 0.6 {
				columns[j][i] = columns[j-1][i]
			}
		}
	}
	table := must.Get(counts.New(columns, counts.Rows{}))
	set := score.DefaultDiscrete()
	set.Tables = score.AdditiveTables
	d := must.Get(score.NewDiscrete(table, set))
	e := d.Evaluator().(*score.DiscreteEvaluator)
	for _, parents := range [][]int{nil, {1}, {1, 2}, {0, 2, 4}} {
		if got, want := e.Logit(3, parents), e.Score(3, parents); !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("parents %v: %v, want %v", parents, got, want)
		}
	}
	plain := must.Get(score.NewDiscrete(table, score.DefaultDiscrete()))
	full := plain.Evaluator().(*score.DiscreteEvaluator)
	if got, want := full.Logit(3, []int{1, 2}), full.Score(3, []int{1, 2}); got != want {
		t.Errorf("without additive effects: %v, want %v of the full table", got, want)
	}
	four := []int{0, 1, 2, 4} // 625 configurations
	if !math.IsInf(e.Score(3, four), 1) {
		t.Error("the search considers 625 configurations of four parents")
	}
	without, with := e.Logit(3, []int{0, 1, 4}), e.Logit(3, four)
	if !(with < without) {
		t.Errorf("the cause of the column does not improve its score: %v, without it %v", with, without)
	}
}
