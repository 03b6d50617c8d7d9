package effect

import (
	"context"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
)

// relearner returns what learns the graph of a resampled table as that of the result was learned: with its method, its settings, what is
// known, and everything that the method left to the data fixed as it was chosen there.
func relearner(res *polydag.Result) (func(context.Context, *polydag.Table) (*polydag.Result, error), error) {
	cfg, err := confidence.Restore(res)
	if err != nil {
		return nil, err
	}
	plan, err := confidence.NewPlan(cfg, res)
	if err != nil {
		return nil, err
	}
	if _, err := plan.Config(); err != nil {
		return nil, err
	}
	return func(ctx context.Context, t *polydag.Table) (*polydag.Result, error) {
		cfg, err := plan.Config() // a method of its own for each replicate
		if err != nil {
			return nil, err
		}
		return t.Learn(ctx, cfg, polydag.Run{})
	}, nil
}
