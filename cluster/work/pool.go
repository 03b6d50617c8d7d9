package work

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/polydag/polydag/internal/parallel"
)

// A Pool does units on goroutines of this process.
type Pool struct {
	Workers  int // number of concurrent units
	Handlers Handlers
}

// Run implements Runner.
func (p Pool) Run(ctx context.Context, job *Job, each func(i int, outcome []byte) error) error {
	if p.Workers < 1 {
		return fmt.Errorf("setting Workers = %d, want at least 1", p.Workers)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	in := NewInputs(job.local)
	var mu sync.Mutex
	faults := make([]error, len(job.Units))
	do := func(i int) {
		u := &job.Units[i]
		out, err := p.Handlers.Do(ctx, u, in, 0)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case ctx.Err() != nil: // under the lock, so that no outcome follows one that stopped the job
		case err != nil:
			faults[i] = &UnitError{i, u.ID, u.Kind, err}
		default:
			if err := each(i, out); err != nil {
				cancel(err)
			}
		}
	}
	parallel.Each(ctx, len(job.Units), p.Workers, func(int) func(int) { return do })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(faults...)
}
