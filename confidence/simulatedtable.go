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

// SimulatedTable names one of the tables that a recalibration simulates like a table: by the graph that it is drawn from, the model that effects
// are fitted under, a seed and a number. It is a plain value: another process with the same table simulates the same.
type SimulatedTable struct {
	Graph  []graph.Edge  `json:"graph"`
	Model  score.Effects `json:"model,omitempty"`
	Seed   uint64        `json:"seed"`
	Number int           `json:"number"`
}

// stream is where the noise of the table comes from.
func (s *SimulatedTable) stream() *rand.Rand {
	return sim.Stream(s.Seed, sim.StreamNoise+sim.Purpose(1000+s.Number))
}

// Resampler simulates the table like the one of from, and makes resampled tables of it.
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
