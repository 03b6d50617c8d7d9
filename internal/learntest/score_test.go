package learntest

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/tabletest"
	"github.com/polydag/polydag/method/notearsexp"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/sim"
)

// TestScoreOfAGraph checks that the score of the found graph equals that of the method, under every model, and
// that after an exhaustive search no graph that differs by one edge has a better score.
func TestScoreOfAGraph(t *testing.T) {
	ctx := context.Background()
	for model, mechanism := range map[order.Model]sim.Mechanism{order.Linear: sim.Linear, order.Discrete: sim.Discrete, order.Mixed: sim.Mixed, order.Smooth: sim.Additive} {
		c := sim.Default()
		c.Nodes, c.Degree, c.Seed, c.Mechanism = 5, 2, 3, mechanism
		m, err := sim.New(c)
		if err != nil {
			t.Fatal(err)
		}
		table, err := polydag.FromRows(m.Names(), slices.Collect(dataset.RowsOf(m.Sample(sim.Stream(3, sim.StreamNoise), 200))))
		if err != nil {
			t.Fatal(err)
		}
		cfg := polydag.DefaultConfig()
		own := order.New()
		own.Model, own.Variance, own.Noise, own.Price.Adapt = model, order.Unequal, order.GaussianNoise, false
		cfg.Method = own
		res, err := table.Learn(ctx, cfg, polydag.Run{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := table.Score(ctx, cfg, res.Graph)
		if err != nil || !(math.Abs(got-res.Score) <= 1e-9*max(1, math.Abs(res.Score))) {
			t.Errorf("%s: the graph has the score %v, learning it %v; %v", model, got, res.Score, err)
		}
		for _, e := range res.Graph.Edges() {
			less := graph.New(res.Graph.N())
			for _, other := range res.Graph.Edges() {
				if other != e {
					less.AddEdge(other.From, other.To)
				}
			}
			if worse, err := table.Score(ctx, cfg, less); err != nil || worse < got-1e-9 {
				t.Errorf("%s: without %v the score is %v, with it %v; %v", model, e, worse, got, err)
			}
		}
	}
}

func TestScoreNeedsAMethodThatRefits(t *testing.T) {
	table := polydag.FromMoments(moments(t, []string{"a", "b"}, tabletest.Normals(1, 20, 2)))
	cfg := polydag.DefaultConfig()
	cfg.Method = notearsexp.New()
	if _, err := table.Score(context.Background(), cfg, graph.New(table.Moments.Dim())); !errors.Is(err, polydag.ErrConfig) {
		t.Error(err)
	}
}
