package confidence_test

import (
	"context"
	"os"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/metric"
)

// TestExpectedDistance treats the graphs of bootstrap samples as posterior samples, on tables as in the
// literature: ER, weights on ±[0.5, 2], standardized, n = 1000. The expected CPDAG distance is the mean number
// of differing pairs between their CPDAG and the true one. The AUROC compares directed frequencies with the
// edges of the true DAG.
func TestExpectedDistance(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes half a minute: set POLYDAG_STUDY=1")
	}
	for _, c := range []struct{ nodes, edges, most int }{{25, 40, 10}, {50, 80, 20}} {
		distance, area := 0.0, 0.0
		const tables, samples = 3, 60
		for seed := range uint64(tables) {
			m, table := simulated(t, 1000, 700+seed, func(s *sim.Settings) { s.Nodes, s.Edges, s.Standardize = c.nodes, c.edges, true })
			truth := must.Get(graph.CPDAG(m.Graph()))
			cfg := polydag.DefaultConfig()
			full := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
			plan := must.Get(confidence.NewPlan(cfg, full))
			from := must.Get(table.Resampler(context.Background(), 1<<20))
			var units []confidence.Unit
			for k := range samples {
				units = append(units, confidence.Unit{Plan: plan, Draw: polydag.Draw{Kind: polydag.Bootstrap, Seed: 1, Replicate: k}})
			}
			votes := graph.NewVotes(c.nodes)
			if err := (confidence.Pool{From: from, Workers: 2}).Run(context.Background(), units, func(o confidence.Outcome) {
				class := must.Get(o.Class(c.nodes))
				votes.Add(class)
				own := graph.NewPDAG(c.nodes)
				for _, e := range class.Edges() {
					if e.Directed() {
						own.SetDirected(e.From, e.To)
					} else {
						own.SetUndirected(e.From, e.To)
					}
				}
				distance += float64(metric.CPDAGDistance(truth, own)) / (tables * samples)
			}); err != nil {
				t.Fatal(err)
			}
			area += underCurve(m.Graph(), votes) / tables
		}
		t.Logf("%d columns, %d edges: expected CPDAG distance %.1f, area under the curve %.4f", c.nodes, c.edges, distance, area)
		if distance > float64(c.most) || area < 0.995 {
			t.Errorf("want at most %d, and at least 0.995", c.most)
		}
	}
}

// underCurve returns the probability that a true edge has a higher frequency than another pair; ties count
// half.
func underCurve(truth *graph.Graph, v *graph.Votes) float64 {
	var edges, others []float64
	for i := range truth.N() {
		for j := range truth.N() {
			switch {
			case i == j:
			case truth.HasEdge(i, j):
				edges = append(edges, v.Directed(i, j))
			default:
				others = append(others, v.Directed(i, j))
			}
		}
	}
	sum := 0.0
	for _, a := range edges {
		for _, b := range others {
			switch {
			case a > b:
				sum++
			case a == b:
				sum += 0.5
			}
		}
	}
	return sum / float64(len(edges)*len(others))
}
