package confidence

import (
	"context"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/device"
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

// Run runs the units. The first error ends it.
func (p Pool) Run(ctx context.Context, units []Unit, each func(Outcome)) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next, done := make(chan Unit), make(chan Outcome)
	var workers sync.WaitGroup
	for range p.workers(ctx, units) {
		workers.Go(func() {
			for u := range next {
				out, err := u.do(within, p.From, p.Change)
				if err != nil {
					cancel(err)
					return
				}
				select {
				case done <- out:
				case <-within.Done():
					return
				}
			}
		})
	}
	go func() {
		defer close(next)
		for _, u := range units {
			select {
			case next <- u:
			case <-within.Done():
				return
			}
		}
	}()
	go func() {
		workers.Wait()
		close(done)
	}()
	for out := range done {
		each(out)
	}
	return context.Cause(within)
}

// workers returns the number of concurrent units: the workers of the pool or, for a method on a device, the
// capacity of the device.
func (p Pool) workers(ctx context.Context, units []Unit) int {
	n := p.Workers
	if on := device.Of(ctx); on != nil && len(units) > 0 {
		if cfg, err := units[0].Plan.Config(); err == nil && cfg.Method.Info().ManyOnDevice() {
			n = min(len(units), device.MaxBatch)
			on.Expect(n)
		}
	}
	return max(1, min(n, len(units)))
}
