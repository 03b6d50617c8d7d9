package solve

import "github.com/polydag/polydag/matrix"

// A Descent turns gradients into steps. It may have state, such as moments.
type Descent[T matrix.Float] interface {
	// Step moves the parameters w along grad. It retains neither argument.
	Step(w, grad *matrix.Dense[T])
	// Reset clears the state.
	Reset()
}

// A Retrier is a descent that can repeat a step with a shorter length. If a step leaves the domain of the score
// or the constraint, Run undoes it and calls Retry, at most Settings.Retries times in a row. Other descents
// fail at such a step.
type Retrier[T matrix.Float] interface {
	Descent[T]
	// Retry moves w by a shorter step than the last Step or Retry. It gets the same w and grad as that call and
	// must not count the gradient twice. It retains neither argument.
	Retry(w, grad *matrix.Dense[T])
}

// A Searcher is a descent that evaluates the objective before it decides on a step, for example a line search.
// It handles the domain itself: it treats a failed evaluation as a step that is too long. If it finds no better
// point, it leaves w unchanged and Run sets Point.Still.
type Searcher[T matrix.Float] interface {
	Descent[T]
	// Aim is called before each Step with the objective of that step, which is valid until Step returns. The
	// gradient passed to Step is the gradient of this objective, with zeros at forbidden entries.
	Aim(o Objective[T])
}

// Objective is the function that one step minimizes; see Move.
type Objective[T matrix.Float] struct {
	// Value is the objective at the start of the step.
	Value float64
	// Kink is λ if the objective is λ Σ|w| plus a smooth term, and 0 if the objective is smooth. Gradients
	// include λ sign(w), with sign(0) = 0.
	Kink float64
	// Kinked marks the entries of w in the sum Σ|w|, row by row; nil means all.
	Kinked []bool
	// Eval returns the objective at w. If grad is not nil it is overwritten with the gradient. Outside the
	// domain Eval returns +Inf and an error. It costs one evaluation of score and constraint with gradients; a
	// step that ends at the last evaluated point reuses that evaluation.
	Eval func(grad, w *matrix.Dense[T]) (float64, error)
}

// kinked is a penalty of the form Kink() Σ|w| plus a smooth term.
type kinked interface{ Kink() float64 }

// kinkedIn is a kinked penalty whose sum covers only the marked entries.
type kinkedIn interface{ Kinked() []bool }
