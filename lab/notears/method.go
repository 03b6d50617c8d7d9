// Package notears is NOTEARS as published: least squares with an L1 penalty and the matrix exponential, by an augmented
// Lagrangian.
//
// Experimental: the API of this package may change before 1.0.
package notears

import (
	"context"

	"github.com/polydag/polydag/lab/lagrangian"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
)

const name = "notears"

// Method has the constants of the published code; lagrangian.Lagrangian lists the deviations. The published code
// also has a logistic and a Poisson loss, one for all columns. Here each column has the loss of its kind.
type Method struct {
	lagrangian.Lagrangian
	Loss lagrangian.Loss
	Path int // number of penalty weights to try
}

// New returns the method with the settings of the published code.
func New() *Method { return &Method{lagrangian.DefaultLagrangian(), lagrangian.Squares, 1} }

func (m *Method) Info() method.Info {
	info := linear.Info(method.Info{
		Name:      name,
		Title:     "NOTEARS: least squares with L1 penalty and matrix exponential, augmented Lagrangian",
		About:     "The first continuous method, with its own solver.",
		Reference: "Zheng, Aragam, Ravikumar and Xing (2018), DAGs with NO TEARS: continuous optimization for structure learning",
	})
	if m.Loss == lagrangian.ByColumn {
		info.Needs, info.Categories = method.Rows, true
	}
	return info
}

func (m *Method) Params(s *param.Set) {
	m.Lagrangian.Params(s)
	param.Word(s, &m.Loss, "loss", "loss: squares (least squares for all columns), or by-column (logistic for binary, softmax for categorical, Poisson for counts, squares for numeric columns)",
		lagrangian.Squares, lagrangian.ByColumn)
	s.Int(&m.Path, "path", "number of L1 weights to try, from l1 downwards by halves with warm starts; the graph with the best score of method order is kept",
		param.AtLeast(1), param.AtMost(30))
}

// Cost counts about nine products of the exponential. With a loss by column it also counts the rows twice. A
// device needs a third copy, which is not counted because Cost does not know whether there is a device.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	c := m.Lagrangian.Cost(columns, 6, 9)
	c.State += int64(m.Path-1) * m.Lagrangian.Kept(columns)
	if m.Loss == lagrangian.ByColumn {
		c.Bytes += 2 * 8 * int64(rows) * int64(columns)
		c.Flops *= 1 + float64(rows)/float64(10*columns)
	}
	c.Flops *= float64(m.Path)
	return c
}

// Learn runs the augmented Lagrangian with h_exp.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	wide, narrow := constraint.New[float64](constraint.Exponential, in.Threads), constraint.New[float32](constraint.Exponential, in.Threads)
	effects := scores.Linear
	if m.Loss == lagrangian.ByColumn {
		effects = model(in.Kinds)
	}
	path := lagrangian.Path{Weights: m.Path}
	if m.Path > 1 {
		var err error
		if path.Rank, err = rank(ctx, in, effects); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	if path.Rank == nil { // for a single weight, or if the context has ended
		path.Weights = 1
	}
	if m.Loss != lagrangian.ByColumn {
		return m.Lagrangian.Learn(ctx, in, run, name, path, wide, narrow)
	}
	a, err := m.LearnByColumn(ctx, in, run, name, path, wide, narrow)
	if a == nil || err != nil || ctx.Err() != nil {
		return a, err
	}
	d, err := scores.Describe(ctx, in, effects, a.Graph.Directed())
	switch {
	case err == nil:
		a.Effects, a.Edges, a.Nodes = d.Effects, d.Edges, d.Nodes
	case ctx.Err() == nil:
		return nil, err
	default: // effects are not described; a resumed run continues here
		a.Cancel(ctx)
	}
	return a, nil
}

// model returns the model that describes effects between columns of these kinds.
func model(kinds []kind.Column) scores.Model {
	levels := 0
	for _, k := range kinds {
		if k.Kind == kind.Binary || k.Kind == kind.Categorical {
			levels++
		}
	}
	switch levels {
	case 0:
		return scores.Linear
	case len(kinds):
		return scores.Discrete
	}
	return scores.Mixed
}

// rank returns the score of graphs under the given effects, with a penalty that does not adapt.
func rank(ctx context.Context, in *method.Input, effects scores.Model) (func(*graph.Graph) float64, error) {
	s := scores.Fixed(effects)
	t, err := s.Table(ctx, in)
	if err != nil {
		return nil, err
	}
	place, eval := t.Place(), t.Score.Evaluator()
	return func(g *graph.Graph) float64 { return scores.Total(eval, g.Mixed().Relabel(place).Directed()) }, nil
}
