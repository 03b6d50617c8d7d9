// Package notears is NOTEARS as published: least squares with an L1 penalty and the matrix exponential, by an augmented
// Lagrangian.
package notears

import (
	"context"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/linear"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

const name = "notears"

// Method has the constants of the published code; linear.Lagrangian says where we deviate.
type Method struct{ linear.Lagrangian }

// New returns the method with the settings of the published code.
func New() *Method { return &Method{linear.DefaultLagrangian()} }

// Info describes the method.
func (m *Method) Info() method.Info {
	return linear.Info(method.Info{
		Name:      name,
		Title:     "NOTEARS: least squares, L1 and the matrix exponential, by an augmented Lagrangian",
		About:     "The first continuous method, in its own solver.",
		Reference: "Zheng, Aragam, Ravikumar and Xing, DAGs with NO TEARS: Continuous Optimization for Structure Learning, NeurIPS 2018",
	})
}

// Params describes the settings.
func (m *Method) Params(s *param.Set) { m.Lagrangian.Params(s) }

// Cost counts the products of the exponential, about nine.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	return m.Lagrangian.Cost(columns, 6, 9)
}

// Learn runs the augmented Lagrangian with h_exp.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return m.Lagrangian.Learn(ctx, in, run, name,
		&acyclic.Exp[float64]{Threads: in.Threads}, &acyclic.Exp[float32]{Threads: in.Threads})
}
