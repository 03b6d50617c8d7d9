package solve

import "github.com/polydag/polydag/matrix"

// A Score measures how badly a weighted graph explains the data; lower is better.
type Score[T matrix.Float] interface {
	// Eval returns the score of w. If grad is not nil it is overwritten with the gradient. Eval neither changes
	// nor retains w. If the score is not finite it returns +Inf and an error.
	Eval(grad, w *matrix.Dense[T]) (float64, error)
}

// A Constraint measures how far a weighted graph is from acyclic: h(W) ≥ 0, and h(W) == 0
// exactly when the support of W has no directed cycle, self-loops included.
type Constraint[T matrix.Float] interface {
	// Eval returns h(w). If grad is not nil it is overwritten with the gradient. Eval neither changes nor
	// retains w. Outside the domain of h it returns +Inf and an error.
	Eval(grad, w *matrix.Dense[T]) (float64, error)
}

// A Penalty favors sparse graphs. It need not be smooth.
type Penalty[T matrix.Float] interface {
	// AddGrad adds a (sub)gradient at w to grad and returns the value of the penalty. It neither changes nor
	// retains w.
	AddGrad(grad, w *matrix.Dense[T]) float64
}

// Problem is: minimize Score + Penalty subject to Constraint = 0 and a zero diagonal, over D×D matrices.
type Problem[T matrix.Float] struct {
	D          int
	Score      Score[T]
	Constraint Constraint[T] // nil means no constraint: h is 0 everywhere
	Penalty    Penalty[T]    // may be nil

	// Start is the initial W, which is copied; nil means the zero matrix.
	Start *matrix.Dense[T]
	// Forbidden marks entries, row by row, that stay zero; nil means none. The diagonal always stays zero.
	Forbidden []bool

	// Parameters, if not nil, defines W as a function of a matrix θ, and the descent moves θ. Score, Constraint
	// and Penalty are then functions of θ (see Through), and Start and Forbidden have the shape of θ. The
	// diagonal of θ is not zeroed, so W(θ) itself must have a zero diagonal. Nil means that θ is W.
	Parameters Parameters[T]
}

// A Schedule sets the weights of score and constraint at each step.
type Schedule interface {
	// Next gets the point at which step p.Step starts and returns what to do there. Run calls it once per step,
	// in order, and once more after the last step.
	Next(p Point) Move
	// AtLimit returns the status of a run that used up its steps: Completed for a schedule of fixed length,
	// StepLimit for one that should converge.
	AtLimit() Status
}

// Point holds the values at the start of a step.
type Point struct {
	Step    int     // steps taken so far
	Score   float64 // the score, not multiplied by its weight
	Penalty float64
	H       float64 // value of the constraint

	Rejected int  // steps undone so far, see Retrier
	Still    bool // the last step of a Searcher moved nothing
}

// Move is the answer of a schedule. With h₀ the value of the constraint at the start of the step, the step
// minimizes
//
//	ScoreWeight (score + penalty) + HWeight (h - h₀) + Curvature/2 (h - h₀)².
//
// The gradient at the start does not depend on Curvature, and only a Searcher uses it. With HWeight = α + ρh₀
// and Curvature = ρ the last two terms are αh + ρ/2 h² up to a constant.
type Move struct {
	ScoreWeight float64
	HWeight     float64
	Curvature   float64

	Restart bool // reset the descent first
	Done    bool // converged: take no further step
	Over    bool // take no further step; the status is AtLimit's unless Done

	Rho, Alpha float64 // state of the schedule, for observers
}
