package polydag_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/metric"
	"github.com/polydag/polydag/sim"
)

// drawn is a linear table of standardized columns with noise of one shape, and its graph.
func drawn(t testing.TB, noise sim.NoiseKind, d, n int, seed uint64) (*sheet, *graph.Graph) {
	t.Helper()
	cfg := sim.Default()
	cfg.Nodes, cfg.Noise, cfg.Seed, cfg.Standardize = d, noise, seed, true
	model, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	x := model.Sample(sim.Stream(seed, sim.StreamNoise), n)
	s := &sheet{}
	for j, name := range model.Names() {
		s.add(name, n, func(i int) string { return fmt.Sprintf("%.6f", x.At(i, j)) })
	}
	return s, model.Graph()
}

// Where the noise of linear effects is not Gaussian it tells the directions, with all defaults; docs/noise.md has the figures.
func TestStudyNoise(t *testing.T) {
	tables := 1
	if os.Getenv("POLYDAG_STUDY") != "" {
		tables = 10
	}
	for _, noise := range []sim.NoiseKind{sim.Uniform, sim.Laplace, sim.Exponential, sim.Gumbel, sim.Gaussian} {
		var f1, before, seconds, wrong, settled, edges float64
		for seed := range uint64(tables) {
			s, truth := drawn(t, noise, 50, 2000, seed+1)
			table := prepared(t, s.plain())
			res := learnedFrom(t, table, nil)
			c := res.Choice("noise")
			if want := map[bool]string{true: "gaussian", false: "free"}[noise == sim.Gaussian]; c == nil || c.Chosen != want || res.Model != "linear" {
				t.Errorf("%v, seed %d: %+v, model %+v", noise, seed, c, res.Choice("model"))
			}
			f1 += metric.Compare(truth, res.Graph).F1 / float64(tables)
			seconds += res.Timing.SolveSeconds / float64(tables)
			if g := stageGraph(t, res, "order"); g != nil {
				before += metric.Compare(truth, g).F1 / float64(tables)
			}
			for _, e := range res.Edges {
				edges++
				if e.Direction != polydag.DirectionNoise {
					continue
				}
				settled++
				if at := func(name string) int { return slices.Index(res.Names, name) }; truth.HasEdge(at(e.To), at(e.From)) {
					wrong++
				}
			}
		}
		t.Logf("%v, %d tables: F1 %.3f, before %.3f, %.2f s; of %.0f edges %.0f by the noise, %.0f wrong", noise, tables, f1, before, seconds, edges, settled, wrong)
		if least := map[bool]float64{true: 0.9, false: 0.98}[noise == sim.Gaussian]; f1 < least {
			t.Errorf("%v: F1 %.3f, want %.2f", noise, f1, least)
		}
		if math.IsNaN(f1) || wrong > 0.02*settled {
			t.Errorf("%v: %.0f of %.0f directions by the noise are wrong", noise, wrong, settled)
		}
	}
}

// stageGraph is the graph of a stage of a result.
func stageGraph(t testing.TB, res *polydag.Result, name string) *graph.Graph {
	t.Helper()
	for _, s := range res.Stages {
		if s.Name != name {
			continue
		}
		g := graph.New(len(res.Names))
		for _, l := range s.Graph {
			g.AddEdge(slices.Index(res.Names, l.From), slices.Index(res.Names, l.To))
		}
		return g
	}
	return nil
}
