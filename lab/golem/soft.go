package golem

import (
	"context"

	"github.com/polydag/polydag/lab/constraint"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// Soft is the method of GOLEM: a Gaussian likelihood with an L1 penalty and a constant weight of the constraint,
// by default the matrix exponential, minimized by Adam. The likelihood alone prefers acyclic graphs, so the
// constraint is soft.
//
// It deviates from the published code in two places. That code always takes all its steps. Here a run also ends
// when the mean of the objective over Every steps is not below the previous mean by a share of Tol; Tol = 0
// turns this off. If the threshold leaves cycles, that code drops the smallest weights until there are none.
// Here edges of least total weight within cycles are removed.
type Soft struct {
	linear.Settings
	Constraint constraint.Name
	Weight     float64 // weight of h
	Steps      int     // most steps for each likelihood
	Rate       float64 // Adam's learning rate
	Every      int     // steps between two checks of the objective
	Tol        float64
}

// DefaultSoft returns the constants of the published code with the given weight of the L1 penalty.
func DefaultSoft(l1 float64) Soft {
	return Soft{
		Settings:   linear.Settings{L1: l1, Threshold: 0.3, Precision: 32},
		Constraint: constraint.Exponential, Weight: 5, Steps: 100000, Rate: 1e-3, Every: 1000, Tol: 1e-6,
	}
}

func (s *Soft) Params(set *param.Set) {
	s.Settings.Params(set)
	constraint.Param(set, &s.Constraint, constraint.Exponential)
	set.Float(&s.Weight, "h-weight", "weight of the constraint", param.AtLeast(0))
	set.Int(&s.Steps, "steps", "maximum number of gradient steps", param.AtLeast(1))
	set.Float(&s.Rate, "rate", "learning rate of Adam", param.Above(0))
	set.Int(&s.Every, "every", "steps between convergence checks", param.AtLeast(1))
	set.Float(&s.Tol, "tol", "stop if the mean objective since the last check fell by less than this share; 0 for never", param.AtLeast(0))
}

// Cost counts a step as 4 products, one for the score and 3 for the LU factorization and inverse of the likelihood,
// and those of the constraint.
func (s *Soft) Cost(columns, legs int) method.Cost {
	products, matrices := s.Constraint.Work(columns)
	return linear.Cost(columns, s.Precision, legs*(linear.AdamMatrices+5)+matrices, legs*s.Steps, 4+products)
}

// Learn maximizes one likelihood after the other, each from the result of the previous one.
func (s *Soft) Learn(ctx context.Context, in *method.Input, run *stage.Run, name string, likelihoods []Likelihood) (*method.Answer, error) {
	if s.Precision == 32 {
		return soft[float32](ctx, s, in, run, name, likelihoods)
	}
	return soft[float64](ctx, s, in, run, name, likelihoods)
}

// A Likelihood is one of the likelihoods of GOLEM.
type Likelihood struct {
	Name  string
	Equal bool // the noise variances are equal
	L1    float64
}

func soft[T matrix.Float](ctx context.Context, s *Soft, in *method.Input, run *stage.Run, name string, likelihoods []Likelihood) (*method.Answer, error) {
	h := constraint.New[T](s.Constraint, in.Threads)
	course := &linear.Course{Name: name, Stage: run, Steps: len(likelihoods) * s.Steps, Threads: in.Threads}
	problem := solve.Problem[T]{D: len(in.Names()), Constraint: h, Forbidden: in.ForbiddenMask()}
	var out *solve.Result[T]
	var failed error
	for _, l := range likelihoods {
		problem.Score = score.NewGaussian[T](in.Moments.Covariance(), l.Equal, in.Threads)
		problem.Penalty = solve.L1[T]{Lambda: l.L1}
		sched := optimize.NewSettling(s.Weight, s.Every, s.Tol)
		sched.Window = s.Every
		out, failed = linear.Do(ctx, course, linear.Leg[T]{
			Name: l.Name, Problem: problem, Schedule: sched,
			Descent: linear.Adam[T](s.Rate), Steps: s.Steps,
		})
		if failed != nil || out.Status == solve.Canceled {
			break
		}
		problem.Start = out.W
	}
	return linear.Finish(in, course, problem.Score, h, out, failed, s.Threshold)
}
