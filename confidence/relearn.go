package confidence

import (
	"context"

	"github.com/polydag/polydag"
)

// Relearner returns a function that learns the graph of a bootstrap sample with the method, settings and prior knowledge of the
// result. Settings that the method chose from the data are fixed to their choices.
func Relearner(res *polydag.Result) (func(context.Context, *polydag.Table) (*polydag.Result, error), error) {
	cfg, err := Restore(res)
	if err != nil {
		return nil, err
	}
	plan, err := NewPlan(cfg, res)
	if err != nil {
		return nil, err
	}
	if _, err := plan.Config(); err != nil {
		return nil, err
	}
	return func(ctx context.Context, t *polydag.Table) (*polydag.Result, error) {
		cfg, err := plan.Config() // a separate method value for each replicate
		if err != nil {
			return nil, err
		}
		return t.Learn(ctx, cfg, polydag.Run{})
	}, nil
}
