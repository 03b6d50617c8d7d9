// Package mlp has NOTEARS and DAGMA with one neural network per column.
//
// Experimental: the API of this package may change before 1.0.
package mlp

import (
	"context"

	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

// NOTEARS has the settings. The defaults are those of the authors' program, with two exceptions. Columns are
// standardized. OWL-QN, which gives exact zeros, replaces L-BFGS-B on the positive and negative parts of the
// first layer. Both minimize the same objective.
type NOTEARS struct {
	network.Settings
	Constraint constraint.Name
	Steps      int
	HTol       float64
}

// NewNOTEARS returns the method with its defaults.
func NewNOTEARS() *NOTEARS {
	return &NOTEARS{
		Settings:   network.Settings{Scale: network.Unit, Hidden: 10, Lambda1: 0.01, Lambda2: 0.01, Threshold: 0.3},
		Constraint: constraint.Exponential, Steps: 20000, HTol: 1e-8,
	}
}

func (m *NOTEARS) Info() method.Info {
	return m.Settings.Info(method.Info{
		Name:      "notears-mlp",
		Title:     "NOTEARS with a neural network per column",
		Reference: "Zheng, Dan, Aragam, Ravikumar and Xing (2020), Learning sparse nonparametric DAGs",
	})
}

func (m *NOTEARS) Params(s *param.Set) {
	m.Settings.Params(s)
	constraint.Param(s, &m.Constraint, constraint.Exponential)
	s.Int(&m.Steps, "steps", "maximum number of steps", param.AtLeast(1))
	s.Float(&m.HTol, "htol", "stop if h is below this", param.Above(0))
}

// Cost counts three products a batch and step, and the sigmoids.
func (m *NOTEARS) Cost(rows, columns, _ int) method.Cost {
	return m.Perceptron(columns).Cost(rows, m.Steps)
}

// Learn fits the networks and thresholds the norms of their first layers.
func (m *NOTEARS) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	fit := &network.Fit{
		Name: "notears-mlp", Perceptron: m.Perceptron(len(in.Names())),
		Lambda1: m.Lambda1, Lambda2: m.Lambda2, Constraint: constraint.New[float64](m.Constraint, in.Threads),
		// The program ends a solve at a relative decrease of 2.2e-9, and all of them at ρ = 1e16.
		Schedule: network.NewAscent(m.HTol, 1e16, 1e-6, 10, m.Steps),
		Descent:  optimize.NewOWLQN[float64](1e-6), Steps: m.Steps,
	}
	return fit.Learn(ctx, in, run, m.Scale, m.Threshold)
}
