package solve

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag/matrix"
)

// Status is the reason why a run ended. Not converging is a status, not an error.
type Status string

// These are the reasons why a run ends.
const (
	Converged Status = "converged"  // the schedule's own criterion was met
	Completed Status = "completed"  // a schedule of fixed length ran to its end
	StepLimit Status = "step_limit" // the steps ran out before convergence
	Canceled  Status = "canceled"   // the context ended first
	Failed    Status = "failed"     // score or constraint left their domain, and no shorter step helped
)

// Finished reports whether the run converged or completed.
func (s Status) Finished() bool { return s == Converged || s == Completed }

// Settings limit a run.
type Settings struct {
	Steps int // most descent steps

	// Threads is the number of threads that share the passes over the parameters; 0 and 1 mean one. It does not
	// change the result. Score and constraint have their own threads.
	Threads int

	// Retries is how often in a row Run undoes a step that leaves the domain of score or constraint and repeats
	// it shorter. The descent must be a Retrier. 0 means that leaving the domain ends the run.
	Retries int

	// Pause, if not nil, is called once per step after the observer, and before Run returns when the context
	// ends. state encodes the run in about three matrices. Call it to save the run, but only before Pause
	// returns. It returns nil if the schedule or the descent does not implement encoding.BinaryMarshaler and
	// BinaryUnmarshaler; all in this package do. Pause does not change the run.
	Pause func(state func() []byte)
	// Resume is the result of state in an earlier run of the same problem with the same settings, or nil. The
	// run continues with the next step and gives the same result as without the interruption. Schedule and
	// descent must be new and have the same settings. Observers see only the remaining steps.
	Resume []byte
}

// Validate returns an error that names every invalid setting.
func (s Settings) Validate() error {
	errs := []error{positive("Steps", s.Steps)}
	if s.Retries < 0 {
		errs = append(errs, fmt.Errorf("setting Retries = %d, want at least 0", s.Retries))
	}
	return errors.Join(errs...)
}

// Result is the end of a run: the last point at which all values were finite.
type Result[T matrix.Float] struct {
	W      *matrix.Dense[T]
	Theta  *matrix.Dense[T] // the parameters of W; nil if Problem.Parameters is nil
	Status Status
	Cause  error // the reason of Canceled and Failed
	Last   Step  // the values at W, as observers saw them
}

// Step is one line of the trace: the point before the step and the schedule's answer.
type Step struct {
	Point
	Move
}

// Observer is called once per step and once for the final point.
type Observer func(Step)
