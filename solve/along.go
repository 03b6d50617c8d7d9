package solve

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/matrix"
)

// Along runs a problem once for each weight λ of its L1 penalty, in the order of lambdas, each time from where the last run
// ended. From the largest to the smallest, each start is near its end and has few entries that are not zero: the warm starts
// of Friedman, Hastie and Tibshirani (2010). p.Penalty is not used. fresh makes a schedule and a descent for each run.
//
// It returns the results of the runs that were begun. One that the context ended is the last, and so is one that failed,
// with its error.
func Along[T matrix.Float](ctx context.Context, p Problem[T], lambdas []float64, fresh func() (Schedule, Descent[T]), s Settings, observe Observer) ([]*Result[T], error) {
	if s.Pause != nil || s.Resume != nil {
		return nil, errors.New("a path of weights cannot be paused within a run; pause between its weights, with a call for each")
	}
	var all []*Result[T]
	for _, lambda := range lambdas {
		if !(lambda >= 0) {
			return all, fmt.Errorf("a weight of %v in the path, want at least 0", lambda)
		}
		p.Penalty = L1[T]{Lambda: lambda}
		sched, desc := fresh()
		res, err := Run(ctx, p, sched, desc, s, observe)
		if res != nil {
			all = append(all, res)
		}
		if err != nil {
			return all, fmt.Errorf("at λ = %g: %w", lambda, err)
		}
		if res.Status == Canceled {
			return all, nil
		}
		if p.Start = res.W; res.Theta != nil {
			p.Start = res.Theta
		}
	}
	return all, nil
}
