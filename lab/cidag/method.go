// Package cidag is CI-DAG: NOTEARS with conditional independences as further constraints.
//
// Experimental: the API of this package may change before 1.0.
package cidag

import (
	"context"

	"github.com/polydag/polydag/lab/lagrangian"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/tests"
	"github.com/polydag/polydag/solve"
)

const name = "ci-dag"

// Form is how the independences enter the optimization.
type Form string

const (
	Mask     Form = "mask"     // weights between independent columns are zero from the start
	Equality Form = "equality" // their squares are part of the constraint, and the augmented Lagrangian makes them zero
)

// Method has the constants of NOTEARS and of the tests.
type Method struct {
	lagrangian.Lagrangian
	tests.Settings
	Form Form
}

// New returns the method with the settings of NOTEARS and tests given at most one column.
func New() *Method {
	m := &Method{Lagrangian: lagrangian.DefaultLagrangian(), Settings: tests.Default(param.Count{N: 1}), Form: Mask}
	m.Settings.Test = tests.FisherZ
	return m
}

func (m *Method) Info() method.Info {
	info := linear.Info(method.Info{
		Name:      name,
		Title:     "CI-DAG: NOTEARS with conditional independences of low order as constraints",
		About:     "Least squares with L1 penalty and matrix exponential, in which columns that a test of low order separates have no edge.",
		Reference: "Xia et al. (2023), Work cited by the paper polyDAG for conditional-independence constraints in continuous optimization",
	})
	info.Needs, info.Tests = m.Test.Needs(), true
	return info
}

func (m *Method) Params(s *param.Set) {
	m.Lagrangian.Params(s)
	m.Settings.Params(s)
	param.Word(s, &m.Form, "form", "how independences enter: mask (weights are zero from the start) or equality (squared weights are part of the constraint)", Mask, Equality)
}

// Cost counts the tests and the solver.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	c, t := m.Lagrangian.Cost(columns, 6, 9), m.Settings.Cost(rows, columns, threads)
	c.Bytes, c.State, c.Flops = c.Bytes+t.Bytes, c.State+t.State, c.Flops+t.Flops
	return c
}

// Learn tests the pairs and runs the augmented Lagrangian with h_exp.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	tester, err := tests.New(ctx, in, m.Test)
	if err != nil {
		return m.Stopped(ctx, in, graph.KindDAG, err)
	}
	search, err := m.Skeleton(ctx, in, run, tester, name+"/tests")
	if err != nil {
		return m.Stopped(ctx, in, graph.KindDAG, err)
	}
	separated := apart(search.Joined(graph.KindPDAG))
	l := m.Lagrangian
	wide, narrow := constraint.New[float64](constraint.Exponential, in.Threads), constraint.New[float32](constraint.Exponential, in.Threads)
	if m.Form == Mask {
		l.Zero = separated
	} else {
		wide, narrow = &Equalities[float64]{wide, separated}, &Equalities[float32]{narrow, separated}
	}
	a, err := l.Learn(ctx, in, run, name, lagrangian.Path{Weights: 1}, wide, narrow)
	if a != nil {
		a.Choices = append(a.Choices, tester.Choice)
	}
	return a, err
}

// apart marks the entries of pairs that are not adjacent.
func apart(g *graph.Mixed) []bool {
	d := g.N()
	out := make([]bool, d*d)
	for i := range d {
		for j := range d {
			_, adjacent := g.Between(i, j)
			out[i*d+j] = i != j && !adjacent
		}
	}
	return out
}

// Equalities is a constraint plus the sum of the squares of the marked entries,
//
//	c(W) = h(W) + Σ_(i,j) marked W_ij²,
//
// zero exactly if h is zero and no marked pair has an edge.
type Equalities[T matrix.Float] struct {
	H      solve.Constraint[T]
	Marked []bool // row by row
}

// Eval returns c(w). If grad is not nil it is overwritten with the gradient.
func (e *Equalities[T]) Eval(grad, w *matrix.Dense[T]) (float64, error) {
	h, err := e.H.Eval(grad, w)
	if err != nil {
		return h, err
	}
	for i := range w.Rows {
		for j, v := range w.Row(i) {
			if !e.Marked[i*w.Cols+j] {
				continue
			}
			if h += float64(v) * float64(v); grad != nil {
				grad.Set(i, j, grad.At(i, j)+2*v)
			}
		}
	}
	return h, nil
}
