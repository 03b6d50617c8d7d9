package solve

import "github.com/polydag/polydag/matrix"

// A Score measures how badly a weighted graph explains the data; less is better.
type Score[T matrix.Float] interface {
	// Eval returns the score of w. If grad is not nil it is overwritten with the gradient.
	// Eval neither changes nor keeps w. Where the score is not finite it returns +Inf and an error.
	Eval(grad, w *matrix.Dense[T]) (float64, error)
}

// A Constraint measures how far a weighted graph is from acyclic: h(W) ≥ 0, and h(W) == 0
// exactly when the support of W has no directed cycle, self-loops included.
type Constraint[T matrix.Float] interface {
	// Eval returns h(w). If grad is not nil it is overwritten with the gradient. Eval neither
	// changes nor keeps w. Outside the domain of h it returns +Inf and an error.
	Eval(grad, w *matrix.Dense[T]) (float64, error)
}

// A Penalty asks for sparsity. It need not be smooth.
type Penalty[T matrix.Float] interface {
	// AddGrad adds a (sub)gradient at w to grad and returns the value of the penalty. It
	// neither changes nor keeps w.
	AddGrad(grad, w *matrix.Dense[T]) float64
}

// Problem is: minimize Score + Penalty subject to Constraint = 0 and a zero diagonal, over D×D matrices.
type Problem[T matrix.Float] struct {
	D          int
	Score      Score[T]
	Constraint Constraint[T] // nil means none: h is then 0 everywhere
	Penalty    Penalty[T]    // may be nil

	// Start is where the descent begins; nil means the zero matrix. It is copied.
	Start *matrix.Dense[T]
	// Forbidden marks entries, row after row, that stay zero; nil means none. The
	// diagonal always stays zero.
	Forbidden []bool

	// Parameters, if not nil, says how W is made of a matrix θ of another meaning, and the descent moves θ. Score,
	// Constraint and Penalty are then functions of θ (Through makes one of a function of W), and Start and Forbidden have
	// its shape. No entry of θ stays zero by itself: W(θ) must have a zero diagonal. Nil means that θ is W.
	Parameters Parameters[T]
}

// A Schedule weighs score and constraint against each other, step by step.
type Schedule interface {
	// Next is told the point that step p.Step starts from and answers what to do there. Run calls it once a step,
	// in order, and once more after the last step.
	Next(p Point) Move
	// AtLimit is the status of a run that used up its steps: Completed where the
	// schedule has a fixed length, StepLimit where it hoped to converge.
	AtLimit() Status
}

// Point is what is known at the start of a step.
type Point struct {
	Step    int     // steps taken so far
	Score   float64 // of the score alone, without its weight
	Penalty float64
	H       float64 // value of the constraint

	Rejected int  // steps undone so far, see Retrier
	Still    bool // the last step of a Searcher moved nothing
}

// Move is a schedule's answer. With h₀ the value of the constraint at the start of the step, the step is to lower
//
//	ScoreWeight (score + penalty) + HWeight (h - h₀) + Curvature/2 (h - h₀)².
//
// The gradient at the start does not depend on Curvature, and a descent that does not evaluate never sees it. With
// HWeight = α + ρh₀ and Curvature = ρ the last two terms are αh + ρ/2 h² up to a constant.
type Move struct {
	ScoreWeight float64
	HWeight     float64
	Curvature   float64

	Restart bool // forget the descent's memory first
	Done    bool // converged: take no further step
	Over    bool // take no further step, converged or not: the status is AtLimit's unless Done

	Rho, Alpha float64 // state of the schedule, for observers
}
