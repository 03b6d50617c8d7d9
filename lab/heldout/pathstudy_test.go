package heldout

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/metric"
)

// TestStudyRecommended measures the distance to the truth at the recommended penalty, at the one with the best
// prediction, and by default; docs/evidence/penalty.md has the figures.
func TestStudyRecommended(t *testing.T) {
	if os.Getenv("POLYDAG_STUDY") == "" {
		t.Skip("it takes minutes: set POLYDAG_STUDY=1")
	}
	const seeds = 8
	for _, c := range []struct {
		name string
		rows int
		sim  func(*sim.Settings)
	}{
		{"linear, d = 20, n = 200, weights on ±[0.5, 2]", 200, func(c *sim.Settings) { c.Nodes, c.Edges, c.Standardize = 20, 40, true }},
		{"linear, d = 20, n = 1000, weights on ±[0.5, 2]", 1000, func(c *sim.Settings) { c.Nodes, c.Edges, c.Standardize = 20, 40, true }},
		{"linear, d = 20, n = 200, weights on ±[0.1, 0.4]", 200, func(c *sim.Settings) {
			c.Nodes, c.Edges, c.Standardize, c.WeightLow, c.WeightHigh = 20, 40, true, 0.1, 0.4
		}},
		{"linear, d = 20, n = 1000, weights on ±[0.1, 0.4]", 1000, func(c *sim.Settings) {
			c.Nodes, c.Edges, c.Standardize, c.WeightLow, c.WeightHigh = 20, 40, true, 0.1, 0.4
		}},
		{"discrete, d = 10, n = 1000", 1000, func(c *sim.Settings) { c.Nodes, c.Edges, c.Mechanism = 10, 15, sim.Discrete }},
		{"mixed, d = 10, n = 1000", 1000, func(c *sim.Settings) { c.Nodes, c.Edges, c.Mechanism = 10, 15, sim.Mixed }},
	} {
		var edges, f1 [3][]float64
		for seed := range uint64(seeds) {
			truth, table := simulatedDAG(t, c.rows, 700+seed, c.sim)
			p := pathOf(t, table, DefaultPathSettings(), 2)
			for k, value := range []*float64{p.Recommended, p.Best, nil} {
				given := map[string]string{"model": string(p.Model)}
				if value != nil {
					given[p.Setting] = valueText(*value)
				}
				cfg := must.Get(with(polydag.DefaultConfig(), given))
				res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
				edges[k] = append(edges[k], float64(len(res.Edges)))
				f1[k] = append(f1[k], metric.Compare(truth, res.Graph).SkeletonF1)
			}
		}
		row := "| " + c.name
		for k := range edges {
			row += fmt.Sprintf(" | %s | %.1f", spread(f1[k]), mean(edges[k]))
		}
		fmt.Println(row + " |")
	}
}

// spread is the mean with its standard deviation.
func spread(x []float64) string {
	m, s := mean(x), 0.0
	for _, v := range x {
		s += (v - m) * (v - m) / float64(len(x)-1)
	}
	return fmt.Sprintf("%.3f ± %.3f", m, math.Sqrt(s))
}
