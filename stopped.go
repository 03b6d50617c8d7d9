package polydag

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/method"
)

// Status is the reason why a run ended.
type Status = method.Status

// The values of Status.
const (
	Converged = method.Converged // the method met its stopping rule
	Completed = method.Completed // the method, which has no stopping rule, did all its steps
	StepLimit = method.StepLimit // the steps of the settings were not enough
	Canceled  = method.Canceled  // the context ended; the graph is the best so far
	Failed    = method.Failed    // the solver failed; the graph is that of its last finite point
)

// stopError is the error of a run that its context ended.
type stopError struct{ error }

func (e stopError) Unwrap() error { return e.error }

// Stopped returns the error that comes with a result if its run was stopped because ctx ended. It wraps ctx.Err(). Otherwise it is nil.
func (r *Result) Stopped(ctx context.Context) error {
	if r == nil || r.Status != Canceled || ctx.Err() == nil {
		return nil
	}
	return stopError{fmt.Errorf("the run was stopped (%s); its result is the best so far: %w", r.Cause, ctx.Err())}
}

// BestSoFar passes the result of Learn on, without the error of a run that its context ended:
//
//	res, err := polydag.BestSoFar(table.Learn(ctx, cfg, polydag.Run{}))
func BestSoFar(res *Result, err error) (*Result, error) {
	if res != nil && errors.As(err, new(stopError)) {
		err = nil
	}
	return res, err
}
