package study_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/lab/sim"
)

// TestStudyImpulse prints how often 90 % intervals of impulse responses to two columns cover the true ones, over 8 steps, where the true
// response is not 0. The responses of one table share a few weights, so the standard error is that of sums over tables.
func TestStudyImpulse(t *testing.T) {
	tables, _ := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if tables == 0 {
		t.Skip("it takes minutes: set POLYDAG_STUDY to the number of tables")
	}
	for _, c := range []struct {
		n     int
		given bool
	}{{300, false}, {300, true}, {1000, false}, {1000, true}} {
		covered, all := make([]float64, tables), make([]float64, tables)
		parallel.Each(context.Background(), tables, runtime.NumCPU(), func(int) func(int) {
			return func(k int) { covered[k], all[k] = coverage(t, uint64(k), c.n, c.given) }
		})
		var hits, of, square float64
		for k := range tables {
			hits, of = hits+covered[k], of+all[k]
		}
		for k := range tables {
			square += math.Pow(covered[k]-hits/of*all[k], 2)
		}
		fmt.Printf("%d points, given graph %v: %.0f of %.0f responses covered (%.3f, standard error %.3f)\n", c.n, c.given, hits, of, hits/of, math.Sqrt(square)/of)
	}
}

// coverage returns how many of the responses of one table are covered, and their number.
func coverage(t *testing.T, seed uint64, n int, given bool) (covered, all float64) {
	cfg := sim.DefaultSeries()
	cfg.Nodes, cfg.Seed = 6, studySeed(5000)+seed
	table, p := drawSeries(t, cfg, n, dataset.TimeSettings{Lags: 2})
	res, err := table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{})
	if err != nil {
		t.Error(err)
		return 0, 0
	}
	for a := range 2 {
		want := responses(p, a, 8)
		for b := range cfg.Nodes {
			if a == b {
				continue
			}
			q := effect.NewQuestion(fmt.Sprintf("x%d", a), fmt.Sprintf("x%d", b))
			q.Horizon, q.Replicates, q.Threads, q.GivenGraph = 8, 50, 1, given
			got, err := effect.Ask(context.Background(), res, table, q)
			if err != nil {
				t.Error(err)
				return 0, 0
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
	return covered, all
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
