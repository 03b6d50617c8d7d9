package confidence

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/sim"
)

// SimulatedTable identifies a table that a recalibration simulates: by the graph, the effect model, a seed and a number. It is a
// plain value: any process with the original table simulates the same.
type SimulatedTable struct {
	Graph  []graph.Edge  `json:"graph"`
	Model  score.Effects `json:"model,omitempty"`
	Seed   uint64        `json:"seed"`
	Number int           `json:"number"`
}

// stream is the random source of the table.
func (s *SimulatedTable) stream() *rand.Rand {
	return sim.Stream(s.Seed, sim.StreamNoise+sim.Purpose(1000+s.Number))
}

// Resampler simulates the table from the one of from, and draws bootstrap samples of it.
func (s *SimulatedTable) Resampler(ctx context.Context, from *polydag.Resampler) (*polydag.Resampler, error) {
	if s.Number < 0 {
		return nil, errors.New("a simulated table of a negative number")
	}
	g, err := graph.FromEdges(from.Table().Moments.Dim(), s.Graph)
	if err != nil {
		return nil, err
	}
	like, err := readLikeness(ctx, from.Table(), s.Model, from.EachRow)
	if err != nil {
		return nil, err
	}
	table, _, err := like.simulate(ctx, g, s.stream())
	if err != nil {
		return nil, err
	}
	return table.Resampler(ctx, math.MaxInt64)
}
