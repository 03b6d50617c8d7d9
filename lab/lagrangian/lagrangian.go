// Package lagrangian is NOTEARS for any constraint: an augmented Lagrangian with a quasi-Newton method, for several published methods.
package lagrangian

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/polydag/polydag/method/linear"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

// Lagrangian is NOTEARS for any constraint: least squares with an L1 penalty, and an augmented Lagrangian with
// a quasi-Newton method for the inner problems.
//
// It deviates from the published code in two places. That code writes W as a difference of two nonnegative
// matrices and minimizes by L-BFGS-B; here OWL-QN works on W itself, which has the same minima, and weights
// that the penalty removes are exactly zero. An inner problem ends after Inner steps; that code allows 15,000.
type Lagrangian struct {
	linear.Settings
	Rho, RhoMax float64 // first and largest weight of h² in the augmented Lagrangian
	HTol        float64 // stop when h is at or below this
	Rounds      int     // most updates of the multiplier
	Inner       int     // most steps of one inner problem
	Tol         float64 // relative change of the objective below which an inner problem ends
	Zero        []bool  // entries of W, row by row, that stay zero besides those that knowledge forbids; nil for none
}

// A Path is a sequence of weights of the L1 penalty, each half of the previous one. Each problem starts from
// the solution of the previous one, which is close and sparse: the warm starts of Friedman, Hastie and
// Tibshirani (2010). Rank chooses among the graphs; lower is better.
type Path struct {
	Weights int // 1 means L1 alone
	Rank    func(*graph.Graph) float64
}

// DefaultLagrangian returns the constants of the published code of NOTEARS. Tol is that of its L-BFGS-B.
func DefaultLagrangian() Lagrangian {
	return Lagrangian{
		Settings: linear.Settings{L1: 0.1, Threshold: 0.3, Precision: 64},
		Rho:      1, RhoMax: 1e16, HTol: 1e-8, Rounds: 100, Inner: 1000, Tol: 2.2e-9,
	}
}

// These are the other published constants: ρ grows tenfold if h has not fallen to a quarter, and the gradient
// counts as zero if no entry is above 1e-5.
const (
	rhoFactor = 10
	progress  = 0.25
	flat      = 1e-5
)

func (l *Lagrangian) Params(s *param.Set) {
	l.Settings.Params(s)
	s.Float(&l.Rho, "rho", "initial weight of h² in the augmented Lagrangian", param.Above(0))
	s.Float(&l.RhoMax, "rho-max", "maximum weight of h² in the augmented Lagrangian", param.Above(0))
	s.Float(&l.HTol, "htol", "stop if |h| is below this", param.Above(0))
	s.Int(&l.Rounds, "rounds", "maximum number of multiplier updates", param.AtLeast(1))
	s.Int(&l.Inner, "inner", "steps between multiplier updates", param.AtLeast(1))
	s.Float(&l.Tol, "tol", "stop if the relative change of the objective between two checks is below this; 0 for never", param.AtLeast(0))
}

// steps returns an upper bound of the steps of a run. ρ can grow 16 times besides the updates of the
// multiplier. No run reaches the bound, because inner problems end long before their last step.
func (l *Lagrangian) steps() int { return (l.Rounds + 16) * l.Inner }

// expected is the typical number of steps of a run, for estimates of time: inner problems take some dozens.
const expected = 2000

// Cost counts a step as 1.5 evaluations of score and constraint.
func (l *Lagrangian) Cost(columns, matrices int, products float64) method.Cost {
	c := linear.Cost(columns, l.Precision, linear.OWLQNMatrices+1+matrices, min(expected, l.steps()), 1.5*(1+products))
	c.State += l.Kept(columns)
	return c
}

// legs is the typical number of inner problems of a run.
const legs = 30

// Kept returns the size of a checkpoint of the finished inner problems.
func (l *Lagrangian) Kept(columns int) int64 {
	return method.Matrices(min(legs, l.Rounds+16), columns, l.Precision)
}

// Learn runs the method with a constraint, given in both precisions.
func (l *Lagrangian) Learn(ctx context.Context, in *method.Input, run *stage.Run, name string, path Path, wide solve.Constraint[float64], narrow solve.Constraint[float32]) (*method.Answer, error) {
	if l.Precision == 32 {
		return squares(ctx, l, in, run, name, path, narrow)
	}
	return squares(ctx, l, in, run, name, path, wide)
}

func squares[T matrix.Float](ctx context.Context, l *Lagrangian, in *method.Input, run *stage.Run, name string, path Path, h solve.Constraint[T]) (*method.Answer, error) {
	p := linear.LeastSquares(in, l.Settings, h)
	p.Forbidden = either(p.Forbidden, l.Zero)
	return lagrangian(ctx, l, in, run, name, path, h, p.Score, p, func(lambda float64) solve.Penalty[T] { return solve.L1[T]{Lambda: lambda} })
}

// either marks what a or b marks; nil marks nothing.
func either(a, b []bool) []bool {
	if a == nil {
		return b
	}
	out := slices.Clone(a)
	for k, is := range b {
		out[k] = out[k] || is
	}
	return out
}

// lagrangian solves a problem along a path of penalties. h is its constraint and f its score as functions of W;
// f is nil if the score is not a function of W. Each inner problem of each weight is a separate leg that can be
// resumed.
func lagrangian[T matrix.Float](ctx context.Context, l *Lagrangian, in *method.Input, run *stage.Run, name string, path Path, h solve.Constraint[T], f solve.Score[T], p solve.Problem[T],
	penalty func(lambda float64) solve.Penalty[T]) (*method.Answer, error) {
	if err := l.multipliers().Validate(); err != nil {
		return nil, err
	}
	course := &linear.Course{Name: name, Stage: run, Threads: in.Threads}
	var best *method.Answer
	least, choice := math.Inf(1), method.Choice{
		Setting: "l1", Requested: strconv.FormatFloat(l.L1, 'g', -1, 64),
		Reason: "the weight on the path whose graph has the best score", Scores: map[string]float64{},
	}
	lambda := l.L1
	if lambda == 0 { // half of zero is the same problem
		path.Weights = 1
	}
	for k := range path.Weights {
		prefix := ""
		if k > 0 {
			prefix = strconv.Itoa(k+1) + "."
		}
		p.Penalty = penalty(lambda)
		out, failed := rounds(ctx, l, course, prefix, p)
		a, err := linear.Finish(in, course, f, h, out, failed, l.Threshold)
		switch {
		case path.Weights == 1 || best == nil && (err != nil || a.Status == solve.Canceled):
			return a, err
		case err != nil || a.Status == solve.Canceled: // return the best so far and the error that ended the path
			if a != nil {
				best.Status, best.Cause = a.Status, a.Cause
			}
			return best, err
		}
		word := strconv.FormatFloat(lambda, 'g', 4, 64)
		choice.Scores[word] = path.Rank(a.Graph.Directed())
		if v := choice.Scores[word]; best == nil || v < least {
			best, least, choice.Chosen = a, v, word
		}
		p.Start = parameters(out)
		lambda /= 2
	}
	best.Choices = append(best.Choices, choice)
	return best, nil
}

// multipliers returns the settings of the first inner problem.
func (l *Lagrangian) multipliers() optimize.MultipliersSettings {
	return optimize.MultipliersSettings{
		Rho: l.Rho, Factor: rhoFactor, RhoMax: l.Rho, Progress: progress, HTol: l.HTol, Rounds: 1, Inner: l.Inner, Every: 1, Tol: l.Tol,
	}
}

// parameters returns the final parameters of a run: W, or the θ of W(θ).
func parameters[T matrix.Float](out *solve.Result[T]) *matrix.Dense[T] {
	if out.Theta != nil {
		return out.Theta
	}
	return out.W
}

// rounds solves the inner problems, each a leg of the course. If h stays above progress times its previous
// value, ρ grows and the problem is solved again from the last update of the multiplier. Continuing from the
// end of the problem gives worse graphs.
func rounds[T matrix.Float](ctx context.Context, l *Lagrangian, course *linear.Course, prefix string, p solve.Problem[T]) (*solve.Result[T], error) {
	settings, most := l.multipliers(), max(l.Rho, l.RhoMax)
	var out *solve.Result[T]
	lastH := math.Inf(1)
	for done, leg := 0, 1; done < l.Rounds; leg++ {
		var failed error
		out, failed = linear.Do(ctx, course, linear.Leg[T]{
			Name: prefix + strconv.Itoa(leg), Problem: p, Schedule: optimize.NewMultipliers(settings), Descent: optimize.NewOWLQN[T](flat), Steps: l.Inner + 1,
		})
		if failed != nil || out.Status == solve.Canceled {
			return out, failed
		}
		if out.Last.H > progress*lastH && settings.Rho < most {
			settings.Rho = min(settings.Rho*rhoFactor, most)
			settings.RhoMax = settings.Rho
			continue
		}
		p.Start, lastH = parameters(out), out.Last.H
		settings.Alpha += settings.Rho * lastH
		done++
		if lastH <= l.HTol || settings.Rho >= most {
			break
		}
	}
	return out, nil
}
