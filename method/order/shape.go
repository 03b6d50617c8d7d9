package order

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/score"
)

// NotGaussian counts the columns with edges whose residuals under g are not Gaussian beyond chance.
func NotGaussian(fit *score.NoiseFit, g *graph.Graph) int { return notGaussian(fit, g) }

// TurnedP returns for each edge of g, in the order of g.Edges, the probability by which the noise would speak as clearly for its
// direction if it were not the better one, corrected for the number of edges.
func TurnedP(fit *score.NoiseFit, g *graph.Graph) ([]float64, error) { return turnedP(fit, g) }

// Climb improves g by one change after the other under a score that knows the shape of the noise: edges go, come, or are turned. It returns
// nil where the context ended.
func Climb(ctx context.Context, fit *score.NoiseFit, g *graph.Graph, known *knowledge.Knowledge, tell func(score float64, edges int)) *graph.Graph {
	c := newClimber(fit, g, known)
	if !c.climb(ctx, tell) {
		return nil
	}
	return graph.FromParents(c.parents)
}
