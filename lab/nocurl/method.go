// Package nocurl is NoCurl: it learns an order of the columns without a hard constraint, and then the weights
// for that order.
//
// Experimental: the API of this package may change before 1.0.
package nocurl

import (
	"context"

	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

const name = "nocurl"

// Method has the constants of the published code, in the version that its paper calls NoCurl-2.
//
// There are two deviations. The second step there has one weight s_ij = s_ji per pair, times max(0, p_j - p_i)
// for the potentials p. Here W itself moves where p_j > p_i, which has the same minimum. Potentials are raised
// to satisfy required edges, because that code does not support knowledge.
type Method struct {
	linear.Settings
	Light, Heavy float64 // weights of h in the two problems that determine the order
	Steps        int     // most steps of each problem
	Tol          float64 // relative change of the objective in a step below which a problem ends
}

// New returns the method with the settings of the published code.
func New() *Method {
	return &Method{
		Settings: linear.Settings{L1: 0, Threshold: 0.3, Precision: 64},
		Light:    10, Heavy: 1000, Steps: 15000, Tol: 1e-8,
	}
}

// flat is the largest entry of a gradient that counts as zero, as in L-BFGS-B of the published code.
const flat = 1e-5

func (m *Method) Info() method.Info {
	return linear.Info(method.Info{
		Name:      name,
		Title:     "NoCurl: order from two problems with a soft constraint, then least squares",
		About:     "About as accurate as NOTEARS where NOTEARS is accurate, in a fraction of its time. The result is acyclic by construction.",
		Reference: "Yu, Gao, Yin and Ji (2021), DAGs with no curl: an efficient DAG structure learning approach",
	})
}

func (m *Method) Params(s *param.Set) {
	m.Settings.Params(s)
	s.Float(&m.Light, "h-light", "weight of the constraint in the first problem", param.AtLeast(0))
	s.Float(&m.Heavy, "h-heavy", "weight of the constraint in the second problem", param.AtLeast(0))
	s.Int(&m.Steps, "steps", "maximum number of gradient steps", param.AtLeast(1))
	s.Float(&m.Tol, "tol", "stop if the relative change of the objective between two checks is below this; 0 for never", param.AtLeast(0))
}

// Cost counts a step as 1.5 evaluations of one product for the score and about ten for the constraint, and expects a
// few hundred steps.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	return linear.Cost(columns, m.Precision, linear.OWLQNMatrices*3/2+1+4, min(m.Steps, 500), 16)
}

// Learn finds the order and then the weights.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	if m.Precision == 32 {
		return learn[float32](ctx, m, in, run)
	}
	return learn[float64](ctx, m, in, run)
}

func learn[T matrix.Float](ctx context.Context, m *Method, in *method.Input, run *stage.Run) (*method.Answer, error) {
	h := constraint.New[T](constraint.Binomial, in.Threads)
	problem := linear.LeastSquares[T](in, m.Settings, h)
	course := &linear.Course{Name: name, Stage: run, Threads: in.Threads}
	var out *solve.Result[T]
	var failed error
	for _, leg := range []struct {
		name   string
		weight float64
	}{{"light", m.Light}, {"heavy", m.Heavy}, {"weights", 0}} {
		if leg.name == "weights" {
			problem.Constraint, problem.Start = nil, nil
			problem.Forbidden = notUphill(problem.Forbidden, potentials(out.W, m.Threshold, in.RequiredGraph()))
		}
		out, failed = linear.Do(ctx, course, linear.Leg[T]{
			Name: leg.name, Problem: problem, Steps: m.Steps,
			Schedule: optimize.NewSettling(leg.weight, 1, m.Tol), Descent: optimize.NewOWLQN[T](flat),
		})
		if failed != nil || out.Status == solve.Canceled {
			break
		}
		problem.Start = out.W
	}
	return linear.Finish[T](in, course, problem.Score, h, out, failed, m.Threshold)
}
