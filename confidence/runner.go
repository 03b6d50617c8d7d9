package confidence

import (
	"context"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/solve"
)

// A Runner runs units, in this process or elsewhere.
type Runner interface {
	// Run runs the units and passes each outcome to each, in any order, one at a time. When ctx ends it returns the context's error
	// and calls each no more. Finished units count even if it returns an error.
	Run(ctx context.Context, units []Unit, each func(Outcome)) error
}

// Pool is a Runner in this process. Each worker runs one unit after the other on one thread.
type Pool struct {
	From    *polydag.Resampler
	Workers int
	// Change, if not nil, returns what is learned from instead of a bootstrap sample, for example with corrected moments. An error is
	// the outcome of the replicate. Several goroutines may call it.
	Change func(sample *polydag.Table, d polydag.Draw) (*polydag.Table, error)
}

// Run runs the units. The first error ends it. each is called by the goroutines of the workers.
func (p Pool) Run(ctx context.Context, units []Unit, each func(Outcome)) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var one sync.Mutex
	parallel.Each(within, len(units), p.workers(ctx, units), func(int) func(int) {
		return func(i int) {
			out, err := units[i].do(within, p.From, p.Change)
			one.Lock()
			defer one.Unlock()
			switch {
			case within.Err() != nil: // under the lock, so that no outcome follows an error
			case err != nil:
				cancel(err)
			default:
				each(out)
			}
		}
	})
	return context.Cause(within)
}

// workers returns the number of concurrent units: the workers of the pool or, for a method on an accelerator, the
// capacity of the accelerator.
func (p Pool) workers(ctx context.Context, units []Unit) int {
	n := p.Workers
	if on := solve.AcceleratorOf(ctx); on != nil && len(units) > 0 {
		if cfg, err := units[0].Plan.Config(); err == nil && cfg.Method.Info().ManyOnDevice() {
			n = on.Reserve(len(units))
		}
	}
	return max(1, min(n, len(units)))
}
