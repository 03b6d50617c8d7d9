package solve

import (
	"errors"
	"fmt"

	"github.com/polydag/polydag/matrix"
)

// Status says why a run ended. Not converging is a status, not an error.
type Status string

// The reasons for ending.
const (
	Converged Status = "converged"  // the schedule's own criterion was met
	Completed Status = "completed"  // a schedule of fixed length ran to its end
	StepLimit Status = "step_limit" // the steps ran out before convergence
	Canceled  Status = "canceled"   // the context ended first
	Failed    Status = "failed"     // score or constraint left their domain, and no shorter step helped
)

// Finished reports whether the run did all that was asked of it.
func (s Status) Finished() bool { return s == Converged || s == Completed }

// Settings bound a run.
type Settings struct {
	Steps int // largest number of descent steps

	// Threads is how many threads share the passes over the parameters; 0 and 1 mean one. It changes no byte of the result. Score
	// and constraint have threads of their own.
	Threads int

	// Retries is how often in a row a step that leaves the domain of score or constraint is undone and taken again,
	// shorter; the descent must be a Retrier. 0 means that leaving the domain ends the run.
	Retries int

	// Pause, if not nil, is called once a step, after the observer. state encodes where the run stands, in three matrices; call
	// it when a save is due, before Pause returns, or not at all. It returns nil where the schedule or the descent cannot be
	// saved: both must implement encoding.BinaryMarshaler and BinaryUnmarshaler, as all in this package do. When
	// the context ends Pause is called before Run returns. It changes nothing in the run.
	Pause func(state func() []byte)
	// Resume is what state returned in an earlier run of the same problem with the same settings, or nil. The run then
	// goes on with the step that follows and ends in the same bytes as if nothing had happened. Schedule and
	// descent must be new, with the settings that they had. Observers see the steps from there on.
	Resume []byte
}

// Validate reports every fault at once.
func (s Settings) Validate() error {
	var errs []error
	if s.Steps < 1 {
		errs = append(errs, fmt.Errorf("Steps = %d, want at least 1", s.Steps))
	}
	if s.Retries < 0 {
		errs = append(errs, fmt.Errorf("setting Retries = %d, want at least 0", s.Retries))
	}
	return errors.Join(errs...)
}

// Result is where a run ended: always the last point at which everything was finite.
type Result[T matrix.Float] struct {
	W      *matrix.Dense[T]
	Theta  *matrix.Dense[T] // the parameters that W is made of; nil where Problem.Parameters is, and W is all there is
	Status Status
	Cause  error // of Canceled and Failed
	Last   Step  // the point W, as observers saw it
}

// Step is one line of a run's trace: the point before the step, and what the schedule made of it.
type Step struct {
	Point
	Move
}

// Observer is called once a step, and once for the final point.
type Observer func(Step)
