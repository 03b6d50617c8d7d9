package confidence

import (
	"context"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// Default is the confidence of a pair without a recalibration.
func Default(p trust.Pair, c *trust.Confidence, model score.Effects) float64 {
	return newCurve(calibration(c.Resampling, model), c.Replicates).of(p.Frequency, p.Adjacency)
}

// Simulate draws a table like another from a graph.
func Simulate(table *polydag.Table, full *polydag.Result, g *graph.Graph, seed uint64) (*polydag.Table, *graph.Graph, error) {
	l, err := newLikeness(context.Background(), table, full, 1<<30)
	if err != nil {
		return nil, nil, err
	}
	return l.simulate(context.Background(), g, sim.Stream(seed, sim.StreamNoise))
}
