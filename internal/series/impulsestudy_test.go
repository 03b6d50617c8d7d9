package series_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/sim"
)

// TestStudyImpulse prints how often 90 % intervals of impulse responses cover the true ones, over all pairs of columns and 8 steps, where
// the true response is not 0.
func TestStudyImpulse(t *testing.T) {
	tables, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if tables == 0 {
		t.Skip("it takes minutes: set POLYDAG_STUDY to the number of tables")
	}
	for _, n := range []int{300, 1000} {
		covered, all := 0, 0
		for seed := range uint64(tables) {
			cfg := sim.DefaultSeries()
			cfg.Nodes, cfg.Seed = 6, 5000+seed
			table, p := drawSeries(t, cfg, n, dataset.TimeSettings{Lags: 2})
			res, err := table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{})
			if err != nil {
				t.Fatal(err)
			}
			for a := range cfg.Nodes {
				want := responses(p, a, 8)
				for b := range cfg.Nodes {
					if a == b {
						continue
					}
					q := effect.NewQuestion(fmt.Sprintf("x%d", a), fmt.Sprintf("x%d", b))
					q.Horizon, q.Replicates, q.Threads = 8, 100, 2
					got, err := effect.Ask(context.Background(), res, table, q)
					if err != nil {
						t.Fatal(err)
					}
					for h, r := range got.Impulse {
						if x := want[h][b]; x != 0 {
							if all++; *r.Low <= x && x <= *r.High {
								covered++
							}
						}
					}
				}
			}
		}
		fmt.Printf("%d points: %d of %d responses covered (%.3f)\n", n, covered, all, float64(covered)/float64(all))
	}
}

// responses returns the true responses to a change of one column by 1, by step and column.
func responses(p *sim.Process, a, horizon int) [][]float64 {
	d := p.Config().Nodes
	out := make([][]float64, horizon+1)
	for t := range out {
		out[t] = make([]float64, d)
		for range d { // edges without a lag form paths of at most d-1 edges
			next := make([]float64, d)
			for _, e := range p.Edges() {
				if e.Lag <= t {
					next[e.To] += e.Weight * out[t-e.Lag][e.From]
				}
			}
			if t == 0 {
				next[a] = 1
			}
			out[t] = next
		}
	}
	return out
}
