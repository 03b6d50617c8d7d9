// Package nearest is the method that docs/guides/add-a-method.md builds.
package nearest

import (
	"context"
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

// Method gives each column at most one parent: of the columns before it, the one that it correlates with most.
type Method struct{ Least float64 }

// New returns the method with its default settings.
func New() *Method { return &Method{Least: 0.2} }

func (m *Method) Info() method.Info {
	return method.Info{
		Name: "nearest", Title: "joins each column with the one that it correlates with most",
		About:     "A forest, for a first look. Directions follow the order of the columns and mean nothing.",
		Reference: "Chow and Liu (1968), Approximating discrete probability distributions with dependence trees",
		Gives:     graph.KindDAG, UnitFree: true,
	}
}

func (m *Method) Params(s *param.Set) {
	s.Float(&m.Least, "least", "smallest |correlation| that makes an edge", param.AtLeast(0), param.AtMost(1))
}

func (m *Method) Cost(_, columns, _ int) method.Cost {
	return method.Cost{Bytes: method.Matrices(1, columns, 64), Flops: float64(columns) * float64(columns)}
}

func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	r := in.Moments.Correlation()
	g, explained := graph.New(r.Rows), 0.0
	for v := 1; v < r.Rows; v++ {
		if ctx.Err() != nil { // return the best answer so far, with the cause of the early end
			return &method.Answer{Graph: g.Mixed(), Score: -explained, Status: method.Canceled, Cause: method.Why(context.Cause(ctx))}, nil
		}
		run.Tell(stage.Progress{Stage: "nearest", Step: v, Steps: r.Rows - 1, Score: -explained, Edges: g.NumEdges()})
		parent := 0
		for u := range v {
			if math.Abs(r.At(u, v)) > math.Abs(r.At(parent, v)) {
				parent = u
			}
		}
		if c := r.At(parent, v); math.Abs(c) >= m.Least {
			g.AddEdge(parent, v)
			explained += c * c
		}
	}
	return &method.Answer{Graph: g.Mixed(), Score: -explained, Status: method.Converged}, nil
}
