package mlp

import (
	"context"

	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

// DAGMA has the settings: a central path along which the weight mu of the score falls by a factor of ten per
// stage. Score, penalties, constraint, path and threshold are those of the authors' program, with two
// differences. Columns are standardized. The program makes 50,000 steps per stage and 80,000 in the last at a
// rate of 2e-4. Here the rate is 15 times higher and the stages are 15 times shorter.
type DAGMA struct {
	network.Settings
	Constraint            constraint.Name
	Mu                    float64
	Stages                int
	StageSteps, LastSteps int
	Rate                  float64
}

// NewDAGMA returns the method with its defaults.
func NewDAGMA() *DAGMA {
	return &DAGMA{
		Settings:   network.Settings{Scale: network.Unit, Hidden: 10, Lambda1: 0.02, Lambda2: 0.005, Threshold: 0.3},
		Constraint: constraint.LogDet, Mu: 0.1, Stages: 4, StageSteps: 3300, LastSteps: 5300, Rate: 0.003,
	}
}

func (m *DAGMA) Info() method.Info {
	return m.Settings.Info(method.Info{
		Name:      "dagma-mlp",
		Title:     "DAGMA with a neural network per column and a log-determinant constraint",
		Reference: "Bello, Aragam and Ravikumar (2022), DAGMA: Learning DAGs via M-matrices and a log-determinant acyclicity characterization",
	})
}

func (m *DAGMA) Params(s *param.Set) {
	m.Settings.Params(s)
	constraint.Param(s, &m.Constraint, constraint.LogDet)
	s.Float(&m.Mu, "mu", "weight of the score in the first stage", param.Above(0))
	s.Int(&m.Stages, "stages", "number of stages", param.AtLeast(1), param.AtMost(20))
	s.Int(&m.StageSteps, "stage-steps", "maximum number of steps per stage before the last; 50000 as published", param.AtLeast(1))
	s.Int(&m.LastSteps, "last-steps", "maximum number of steps in the last stage; 80000 as published", param.AtLeast(1))
	s.Float(&m.Rate, "rate", "learning rate of Adam; 0.0002 as published", param.Above(0))
}

// steps returns the largest number of steps of all stages together.
func (m *DAGMA) steps() int { return (m.Stages-1)*m.StageSteps + m.LastSteps }

// Cost counts all steps.
func (m *DAGMA) Cost(rows, columns, _ int) method.Cost {
	return m.Perceptron(columns).Cost(rows, m.steps())
}

// Learn fits the networks and thresholds the norms of their first layers.
func (m *DAGMA) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	path := optimize.NewFalling(optimize.FallingSettings{
		First: m.Mu, Factor: 0.1, Stages: m.Stages, StageSteps: m.StageSteps, LastSteps: m.LastSteps, Every: 1000, Tol: 1e-6,
	})
	if err := path.Validate(); err != nil {
		return nil, err
	}
	adam := solve.NewAdam[float64](m.Rate)
	adam.Beta1 = 0.99
	fit := &network.Fit{
		Name: "dagma-mlp", Perceptron: m.Perceptron(len(in.Names())),
		Logarithm: true, Lambda1: m.Lambda1, Lambda2: m.Lambda2, DecayAll: true, ZeroStart: true,
		Constraint: constraint.New[float64](m.Constraint, in.Threads), Schedule: path, Descent: adam, Steps: path.Steps() + 1,
	}
	return fit.Learn(ctx, in, run, m.Scale, m.Threshold)
}
