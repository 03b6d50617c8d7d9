package polydag

import (
	"context"
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/gaussian"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/weighted"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// found is the result of the path: W before thresholding, the smallest threshold that gives a DAG, and that DAG
// without the edges that do not pay under BIC. Its fields are exported for gob.
type found struct {
	Status      method.Status
	Cause       string
	Steps       int
	H           float64
	W           *matrix.Dense[float64]
	Tau         float64
	Thresholded [][]int // the parents of each column
	Graph       [][]int
}

func (m *Method) descend(ctx context.Context, in *method.Input, run *stage.Run, at stage.Point) (*found, error) {
	if m.Precision == 32 {
		return descend[float32](ctx, m, in, run, at)
	}
	return descend[float64](ctx, m, in, run, at)
}

// descend minimizes the Gaussian likelihood with unequal variances plus MCP plus μh along a path of increasing
// μ. It works on the correlation matrix, so the result does not depend on the units or signs of columns. With
// equal variances it uses the covariance matrix.
func descend[T matrix.Float](ctx context.Context, m *Method, in *method.Input, run *stage.Run, at stage.Point) (*found, error) {
	s := in.Moments.Correlation()
	equal := m.Variance == Equal
	if equal {
		s = in.Moments.Covariance()
	}
	path := solve.NewRising(solve.RisingSettings{First: m.MuFirst, Last: m.MuLast, Stages: m.Stages, StageSteps: m.StageSteps})
	if err := path.Validate(); err != nil {
		return nil, err
	}
	adam := solve.NewAdam[T](m.Rate)
	adam.Beta1, adam.Beta2 = m.Beta1, m.Beta2
	problem := solve.Problem[T]{
		D:          s.Rows,
		Score:      score.NewGaussian[T](s, equal, in.Threads),
		Constraint: constraint[T](m, s.Rows, in.Threads),
		Penalty:    solve.MCP[T]{Lambda: m.Lambda, Width: m.Width},
		Forbidden:  in.ForbiddenMask(),
	}
	required := in.RequiredGraph()
	settings := solve.Settings{Steps: path.Steps(), Threads: in.Threads, Pause: at.Pause, Resume: at.Resume}
	out, err := solve.RunAccelerated(ctx, problem, path, adam, settings, weighted.Watch(run, name, path.Steps()))
	if err != nil {
		return nil, err
	}
	f := &found{Status: out.Status, Cause: method.Why(out.Cause), Steps: out.Last.Step, H: out.Last.H, W: matrix.Convert[float64](out.W)}
	var thresholded *graph.Graph
	f.Tau, thresholded = graph.SmallestAcyclicThreshold(s.Rows, func(i, j int) float64 {
		if required.NumEdges() > 0 && required.HasEdge(i, j) {
			return math.Inf(1)
		}
		return f.W.At(i, j)
	})
	pruned, err := gaussian.Prune(gaussian.Problem(in.Moments), m.searchSettings().EdgePenalty(in.Moments.N, s.Rows), thresholded, required)
	if err != nil {
		return nil, err
	}
	f.Thresholded, f.Graph = gaussian.Parents(thresholded), gaussian.Parents(pruned)
	return f, nil
}
