package solve

import "github.com/polydag/polydag/matrix"

// A Descent turns gradients into steps. It may keep memory between steps.
type Descent[T matrix.Float] interface {
	// Step moves w, the parameters, along grad. It keeps neither.
	Step(w, grad *matrix.Dense[T])
	// Reset forgets the past.
	Reset()
}

// A Retrier is a descent that can take a step again. Where a step leaves the domain of score or constraint, Run undoes it
// and asks for a shorter one, at most Settings.Retries times in a row. A descent that is no Retrier fails there.
type Retrier[T matrix.Float] interface {
	Descent[T]
	// Retry moves w by a shorter step than the last Step or Retry did. w and grad are what that one was given: a
	// gradient is not to be counted twice. Retry keeps neither.
	Retry(w, grad *matrix.Dense[T])
}

// A Searcher is a descent that evaluates the objective before it decides on a step, as a line search does. It answers for
// the domain itself: an evaluation that fails is a step that is too long. A Searcher that finds nothing better leaves w
// as it is, and Point.Still tells the schedule.
type Searcher[T matrix.Float] interface {
	Descent[T]
	// Aim is called before each Step with the objective of that step, which may be used until the Step returns. The
	// gradient that Step gets is that of the objective, with zeros where entries must stay zero.
	Aim(o Objective[T])
}

// Objective is what one step is to lower; see Move.
type Objective[T matrix.Float] struct {
	// Value is the objective at the start of the step.
	Value float64
	// Kink is λ where the objective is λ Σ|w| plus something smooth, and 0 where all of it is smooth. Gradients
	// have λ sign(w) in them, with sign(0) = 0.
	Kink float64
	// Kinked marks the entries of w that the sum Σ|w| is over, row after row; nil means all.
	Kinked []bool
	// Eval returns the objective at w. If grad is not nil it is overwritten with the gradient. Outside the domain Eval
	// returns +Inf and an error. It costs one evaluation of score and constraint with gradients; the point that was
	// evaluated last costs nothing if the step ends there.
	Eval func(grad, w *matrix.Dense[T]) (float64, error)
}

// kinked is a penalty that is Kink() Σ|w| plus something smooth.
type kinked interface{ Kink() float64 }

// kinkedIn is a kinked penalty of some entries.
type kinkedIn interface{ Kinked() []bool }
