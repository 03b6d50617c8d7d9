package linear

import (
	"context"
	"math"
	"strconv"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// Lagrangian is the system of NOTEARS without its constraint: least squares with an L1 penalty, and an augmented Lagrangian
// whose inner problems a quasi-Newton method solves.
//
// It deviates from the published code in two places. That code writes W as a difference of two nonnegative matrices and
// minimizes by L-BFGS-B; here OWL-QN works on W itself, which has the same minima, and weights that the penalty
// removes are exactly zero. And an inner problem ends after Inner steps, where that code has 15,000.
type Lagrangian struct {
	Settings
	Rho, RhoMax float64 // first and largest weight of h² in the augmented Lagrangian
	HTol        float64 // stop at h at or below
	Rounds      int     // most updates of the multiplier
	Inner       int     // most steps of one inner problem
	Tol         float64 // an inner problem ends where the objective has changed by less, relatively
}

// DefaultLagrangian has the constants of the published code of NOTEARS. Tol is that of L-BFGS-B there.
func DefaultLagrangian() Lagrangian {
	return Lagrangian{
		Settings: Settings{L1: 0.1, Threshold: 0.3, Precision: 64},
		Rho:      1, RhoMax: 1e16, HTol: 1e-8, Rounds: 100, Inner: 1000, Tol: 2.2e-9,
	}
}

// The rest of the published constants: ρ grows tenfold where h has not fallen to a quarter, and the gradient counts as zero
// where no entry is above 1e-5.
const (
	rhoFactor = 10
	progress  = 0.25
	flat      = 1e-5
)

// Params describes the settings.
func (l *Lagrangian) Params(s *param.Set) {
	l.Settings.Params(s)
	s.Float(&l.Rho, "rho", "first weight of h² in the augmented Lagrangian", param.Above(0))
	s.Float(&l.RhoMax, "rho-max", "largest weight of h² in the augmented Lagrangian", param.Above(0))
	s.Float(&l.HTol, "htol", "stop at |h| below this", param.Above(0))
	s.Int(&l.Rounds, "rounds", "most updates of the multiplier", param.AtLeast(1))
	s.Int(&l.Inner, "inner", "steps between updates of the multiplier", param.AtLeast(1))
	s.Float(&l.Tol, "tol", "end where the objective has changed by less than this share since the last look; 0 is never", param.AtLeast(0))
}

// steps bounds the steps of a run. ρ can grow 16 times beside the updates of the multiplier; the bound is one that no run
// reaches, since inner problems end far before their last step.
func (l *Lagrangian) steps() int { return (l.Rounds + 16) * l.Inner }

// expected is about how many steps a run takes, for estimates of time: inner problems take some dozens.
const expected = 2000

// Cost counts a step as 1.5 evaluations of score and constraint.
func (l *Lagrangian) Cost(columns, matrices int, products float64) method.Cost {
	return Cost(columns, l.Precision, OWLQNMatrices+1+matrices, min(expected, l.steps()), 1.5*(1+products))
}

// Learn runs the system with a constraint, given in both precisions.
func (l *Lagrangian) Learn(ctx context.Context, in *method.Input, run *stage.Run, name string, wide solve.Constraint[float64], narrow solve.Constraint[float32]) (*method.Answer, error) {
	if l.Precision == 32 {
		return lagrangian(ctx, l, in, run, name, narrow)
	}
	return lagrangian(ctx, l, in, run, name, wide)
}

// lagrangian solves inner problems one after the other, each a leg of the course. Where one has left more than progress of the h before,
// ρ grows and the problem is solved anew from where the multiplier was last updated; going on from where it ended finds worse graphs.
func lagrangian[T matrix.Float](ctx context.Context, l *Lagrangian, in *method.Input, run *stage.Run, name string, h solve.Constraint[T]) (*method.Answer, error) {
	settings := solve.MultipliersSettings{
		Rho: l.Rho, Factor: rhoFactor, RhoMax: l.Rho, Progress: progress, HTol: l.HTol, Rounds: 1, Inner: l.Inner, Every: 1, Tol: l.Tol,
	}
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	ls := score.NewLeastSquares[T](in.Moments.Covariance(), in.Threads)
	problem := solve.Problem[T]{
		D: len(in.Names()), Score: ls, Constraint: h, Penalty: solve.L1[T]{Lambda: l.L1}, Forbidden: Mask(in),
	}
	course := &Course{Name: name, Stage: run, Threads: in.Threads}
	var out *solve.Result[T]
	var failed error
	lastH := math.Inf(1)
	for rounds, legs := 0, 1; rounds < l.Rounds; legs++ {
		out, failed = Do(ctx, course, Leg[T]{
			Name: strconv.Itoa(legs), Problem: problem, Schedule: solve.NewMultipliers(settings), Descent: solve.NewOWLQN[T](flat), Steps: l.Inner + 1,
		})
		if failed != nil || out.Status == solve.Canceled {
			break
		}
		most := max(l.Rho, l.RhoMax)
		if out.Last.H > progress*lastH && settings.Rho < most {
			settings.Rho = min(settings.Rho*rhoFactor, most)
			settings.RhoMax = settings.Rho
			continue
		}
		problem.Start, lastH = out.W, out.Last.H
		settings.Alpha += settings.Rho * lastH
		rounds++
		if lastH <= l.HTol || settings.Rho >= most {
			break
		}
	}
	return Finish(in, course, ls, h, out, failed, l.Threshold)
}
