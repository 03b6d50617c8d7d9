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
	Failed    Status = "failed"     // score or constraint left their domain
)

// Finished reports whether the run did all that was asked of it.
func (s Status) Finished() bool { return s == Converged || s == Completed }

// Settings bound a run.
type Settings struct {
	Steps int // largest number of descent steps
}

// Validate reports every fault at once.
func (s Settings) Validate() error {
	var errs []error
	if s.Steps < 1 {
		errs = append(errs, fmt.Errorf("solve: Steps = %d, want at least 1", s.Steps))
	}
	return errors.Join(errs...)
}

// Result is where a run ended: always the last point at which everything was finite.
type Result[T matrix.Float] struct {
	W      *matrix.Dense[T]
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
