// Package notears is NOTEARS as published: least squares with an L1 penalty and the matrix exponential, by an augmented
// Lagrangian.
package notears

import (
	"context"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/linear"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

const name = "notears"

// Method has the constants of the published code; linear.Lagrangian says where we deviate. The published code has a logistic and a
// Poisson loss beside least squares, one for all columns; here each column has the one of its kind.
type Method struct {
	linear.Lagrangian
	Loss linear.Loss
}

// New returns the method with the settings of the published code.
func New() *Method { return &Method{linear.DefaultLagrangian(), linear.Squares} }

// Info describes the method.
func (m *Method) Info() method.Info {
	info := linear.Info(method.Info{
		Name:      name,
		Title:     "NOTEARS: least squares, L1 and the matrix exponential, by an augmented Lagrangian",
		About:     "The first continuous method, in its own solver.",
		Reference: "Zheng, Aragam, Ravikumar and Xing, DAGs with NO TEARS: Continuous Optimization for Structure Learning, NeurIPS 2018",
	})
	if m.Loss == linear.ByColumn {
		info.Needs, info.Categories = method.Rows, true
	}
	return info
}

// Params describes the settings.
func (m *Method) Params(s *param.Set) {
	m.Lagrangian.Params(s)
	param.Word(s, &m.Loss, "loss", "what the score is made of: squares of all columns, or by-column (logistic for two values, softmax for levels, Poisson for counts, squares for numbers)",
		linear.Squares, linear.ByColumn)
}

// Cost counts the products of the exponential, about nine, and by column the rows besides, which are kept twice.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	c := m.Lagrangian.Cost(columns, 6, 9)
	if m.Loss == linear.ByColumn {
		c.Bytes += 2 * 8 * int64(rows) * int64(columns)
		c.Flops *= 1 + float64(rows)/float64(10*columns)
	}
	return c
}

// Learn runs the augmented Lagrangian with h_exp.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	wide, narrow := &acyclic.Exp[float64]{Threads: in.Threads}, &acyclic.Exp[float32]{Threads: in.Threads}
	if m.Loss != linear.ByColumn {
		return m.Lagrangian.Learn(ctx, in, run, name, wide, narrow)
	}
	a, err := m.LearnByColumn(ctx, in, run, name, wide, narrow)
	if a == nil || err != nil || ctx.Err() != nil {
		return a, err
	}
	d, err := order.Describe(ctx, in, model(in.Kinds), a.Graph.Directed())
	switch {
	case err == nil:
		a.Effects, a.Weight, a.Strength, a.Explained, a.Effect = d.Effects, d.Weight, d.Strength, d.Explained, d.Effect
	case ctx.Err() == nil:
		return nil, err
	}
	return a, nil
}

// model is the one by which order describes the effects between columns of these kinds.
func model(kinds []kind.Column) order.Model {
	levels := 0
	for _, k := range kinds {
		if k.Kind == kind.Binary || k.Kind == kind.Categorical {
			levels++
		}
	}
	switch levels {
	case 0:
		return order.Linear
	case len(kinds):
		return order.Discrete
	}
	return order.Mixed
}
