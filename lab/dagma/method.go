// Package dagma is DAGMA for linear models: least squares with an L1 penalty and the log-determinant of sI -
// W∘W, along a central path.
//
// Experimental: the API of this package may change before 1.0.
package dagma

import (
	"context"
	"fmt"
	"strconv"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

const name = "dagma"

// Method has the constants of the published code.
//
// There are three deviations. If a step leaves the domain of the constraint, it is repeated at half the rate,
// in every stage. The published code does so only for s > 0.9, and otherwise restarts the stage with half the
// rate and s + 0.1. If a stage begins outside the domain of its s, s grows in steps of 0.1 and the rate stays.
// The objective that ends a stage is a mean over the last hundred steps, because it is computed in float32.
type Method struct {
	linear.Settings
	Stages        int     // values of μ
	Mu, Factor    float64 // μ of the first stage, and its factor from stage to stage
	SFirst, SLast float64 // s of the first and the last stage; linear in between
	StageSteps    int     // most steps of a stage
	LastSteps     int     // most steps of the last stage
	Every         int     // steps between two checks of the objective
	Tol           float64 // relative change of the objective below which a stage ends
	Rate          float64 // Adam's learning rate
	Beta1, Beta2  float64 // decay of Adam's moments
}

// window is the number of steps over which a check averages the objective; see optimize.FallingSettings.
const window = 100

// New returns the method with the settings of the published code.
func New() *Method {
	return &Method{
		Settings: linear.Settings{L1: 0.03, Threshold: 0.3, Precision: 32},
		Stages:   5, Mu: 1, Factor: 0.1, SFirst: 1, SLast: 0.6, StageSteps: 30000, LastSteps: 60000,
		Every: 1000, Tol: 1e-6, Rate: 3e-4, Beta1: 0.99, Beta2: 0.999,
	}
}

func (m *Method) Info() method.Info {
	return linear.Info(method.Info{
		Name:      name,
		Title:     "DAGMA: least squares, L1 and a log-determinant, along a central path",
		About:     "Solves a sequence of problems inside the domain of the constraint. For data in raw units with equal noise variances.",
		Reference: "Bello, Aragam and Ravikumar (2022), DAGMA: Learning DAGs via M-matrices and a log-determinant acyclicity characterization",
	})
}

func (m *Method) Params(s *param.Set) {
	m.Settings.Params(s)
	s.Int(&m.Stages, "stages", "number of stages", param.AtLeast(1))
	s.Float(&m.Mu, "mu", "weight of the score in the first stage", param.Above(0))
	s.Float(&m.Factor, "mu-factor", "factor on the weight of the score from stage to stage", param.Above(0), param.Below(1))
	s.Float(&m.SFirst, "s-first", "s of the log-determinant in the first stage", param.Above(0))
	s.Float(&m.SLast, "s-last", "s of the log-determinant in the last stage", param.Above(0))
	s.Require(func() *param.Fault {
		if m.SLast <= m.SFirst {
			return nil
		}
		return &param.Fault{Setting: "s-last", Value: fmt.Sprint(m.SLast), Want: fmt.Sprintf("at most s-first, %g", m.SFirst)}
	})
	s.Int(&m.StageSteps, "stage-steps", "gradient steps per stage", param.AtLeast(1))
	s.Int(&m.LastSteps, "last-steps", "gradient steps in the last stage", param.AtLeast(1))
	s.Int(&m.Every, "every", "steps between convergence checks", param.AtLeast(1))
	s.Float(&m.Tol, "tol", "stop if the relative change of the objective between two checks is below this; 0 for never", param.AtLeast(0))
	s.Float(&m.Rate, "rate", "learning rate of Adam", param.Above(0))
	s.Float(&m.Beta1, "beta1", "decay of Adam's first moment", param.AtLeast(0), param.Below(1))
	s.Float(&m.Beta2, "beta2", "decay of Adam's second moment", param.AtLeast(0), param.Below(1))
}

func (m *Method) steps() int { return (m.Stages-1)*m.StageSteps + m.LastSteps }

// Cost counts a step as two products: one for the score and one for the inverse.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	return linear.Cost(columns, m.Precision, 2*linear.AdamMatrices+3+2, m.steps(), 2)
}

// Learn follows the central path.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	if m.Precision == 32 {
		return learn[float32](ctx, m, in, run)
	}
	return learn[float64](ctx, m, in, run)
}

func learn[T matrix.Float](ctx context.Context, m *Method, in *method.Input, run *stage.Run) (*method.Answer, error) {
	h := &acyclic.LogDet[T]{Threads: in.Threads}
	problem := linear.LeastSquares[T](in, m.Settings, h)
	course := &linear.Course{Name: name, Stage: run, Steps: m.steps(), Threads: in.Threads}
	var out *solve.Result[T]
	var failed error
	for k := range m.Stages {
		within(h, m.s(k), problem.Start)
		leg := linear.Leg[T]{Name: strconv.Itoa(k + 1), Problem: problem, Steps: m.StageSteps}
		if k == m.Stages-1 {
			leg.Steps = m.LastSteps
		}
		mu := m.Mu
		for range k {
			mu *= m.Factor
		}
		leg.Schedule = optimize.NewFalling(optimize.FallingSettings{
			First: mu, Factor: m.Factor, Stages: 1, StageSteps: leg.Steps, LastSteps: leg.Steps, Every: m.Every, Tol: m.Tol, Window: min(window, m.Every),
		})
		adam := solve.NewAdam[T](m.Rate)
		adam.Beta1, adam.Beta2 = m.Beta1, m.Beta2
		leg.Descent = adam
		if out, failed = linear.Do(ctx, course, leg); failed != nil || out.Status == solve.Canceled {
			break
		}
		problem.Start = out.W
	}
	return linear.Finish[T](in, course, problem.Score, h, out, failed, m.Threshold)
}

// s returns the s of stage k.
func (m *Method) s(k int) float64 {
	if m.Stages == 1 {
		return m.SFirst
	}
	return m.SFirst + (m.SLast-m.SFirst)*float64(k)/float64(m.Stages-1)
}

// within sets s of h and increases it until w lies in the domain.
func within[T matrix.Float](h *acyclic.LogDet[T], s float64, w *matrix.Dense[T]) {
	for h.S = s; w != nil; h.S += 0.1 {
		if _, err := h.Eval(nil, w); err == nil {
			break
		}
	}
}
