package linear

import (
	"context"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

// Schedule is the name of an optimization schedule.
type Schedule string

// These are the schedules. The paper's text and its released code differ; docs/reference/methods.md compares
// them.
const (
	AsReleased Schedule = "released" // as in the published code: a fixed number of steps
	AsText     Schedule = "paper"    // as in the text: until |h| is below a tolerance
)

// Released is Algorithm 1 of the paper for any constraint: least squares with an L1 penalty, an augmented Lagrangian with Adam, a
// threshold, and the removal of cycles. The three methods of the paper differ only in the constraint.
type Released struct {
	Schedule  Schedule
	L1        float64 // weight of the L1 penalty
	Threshold float64 // edges with an absolute weight at or below this are dropped
	Steps     int     // largest number of gradient steps
	Rate      float64 // Adam's learning rate
	Rho       float64 // first weight of h² in the augmented Lagrangian
	Inner     int     // steps between updates of its multiplier
	HTol      float64 // AsText stops when |h| is below this
	Precision int     // bits of the solver's arithmetic, 64 or 32
}

// DefaultReleased returns the constants of the published code.
func DefaultReleased() Released {
	return Released{
		Schedule: AsReleased, L1: 0.01, Threshold: 0.3, Steps: 2000,
		Rate: 0.01, Rho: 1, Inner: 200, HTol: 1e-8, Precision: 64,
	}
}

func (s *Released) Params(set *param.Set) {
	param.Word(set, &s.Schedule, "schedule", "optimization schedule: released (as in the published code) or paper (as in the text)", AsReleased, AsText)
	set.Float(&s.L1, "l1", "weight of the L1 penalty", param.AtLeast(0))
	set.Float(&s.Threshold, "threshold", "drop edges with an absolute weight at or below this", param.AtLeast(0))
	set.Int(&s.Steps, "steps", "maximum number of gradient steps", param.AtLeast(1))
	set.Float(&s.Rate, "rate", "learning rate of Adam", param.Above(0))
	set.Float(&s.Rho, "rho", "initial weight of h² in the augmented Lagrangian", param.Above(0))
	set.Int(&s.Inner, "inner", "steps between multiplier updates", param.AtLeast(1))
	set.Float(&s.HTol, "htol", "stop if |h| is below this", param.Above(0), param.When(func() bool { return s.Schedule == AsText }))
	param.Bits(set, &s.Precision, "precision", "floating-point precision of the solver in bits")
}

// ReleasedInfo fills in the fields that the three methods share.
func ReleasedInfo(i method.Info) method.Info {
	i.Needs, i.Gives, i.Continuous = method.Moments, graph.KindDAG, true
	i.Reference = "Zhang, Ramezani, Han, Hwang and Guo, polyDAG: polynomial acyclicity constraints for efficient continuous causal discovery in visual semantic graphs"
	i.About += " Its answer depends on the units of the columns: least squares prefers to explain columns of large variance. " +
		"On standardized data it finds little; it is here to reproduce and to compare."
	return i
}

// Cost counts the given matrices and products per step of a constraint. It adds W and its last value, two
// gradients, the two moments of Adam, and one product for the score.
func (s *Released) Cost(columns, matrices int, products float64) method.Cost {
	cube := 2 * float64(columns) * float64(columns) * float64(columns)
	return method.Cost{
		Bytes: method.Matrices(2, columns, 64) + method.Matrices(6+1+matrices, columns, s.Precision),
		State: method.Matrices(20, columns, s.Precision),
		Flops: float64(s.Steps) * (1 + products) * cube,
	}
}

// Learn runs the algorithm with a constraint, given in both precisions.
func (s *Released) Learn(ctx context.Context, in *method.Input, run *stage.Run, name string, wide solve.Constraint[float64], narrow solve.Constraint[float32]) (*method.Answer, error) {
	if s.Precision == 32 {
		return released(ctx, s, in, run, name, narrow)
	}
	return released(ctx, s, in, run, name, wide)
}

func released[T matrix.Float](ctx context.Context, s *Released, in *method.Input, run *stage.Run, name string, h solve.Constraint[T]) (*method.Answer, error) {
	problem := LeastSquares(in, Settings{L1: s.L1}, h)
	var schedule solve.Schedule = solve.NewReleased(s.Rho, s.Inner)
	if s.Schedule == AsText {
		schedule = solve.NewPaper(s.Rho, s.Inner, s.HTol)
	}
	course := &Course{Name: name, Stage: run, Steps: s.Steps, Threads: in.Threads}
	out, failed := Do(ctx, course, Leg[T]{Problem: problem, Schedule: schedule, Descent: Adam[T](s.Rate), Steps: s.Steps, Firm: true})
	return Finish(in, course, problem.Score, h, out, failed, s.Threshold)
}
