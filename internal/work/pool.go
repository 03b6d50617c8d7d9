package work

import (
	"context"
	"errors"
	"fmt"
	"sync"
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
	queue := make(chan int)
	var group sync.WaitGroup
	var mu sync.Mutex
	faults := make([]error, len(job.Units))
	for range min(p.Workers, len(job.Units)) {
		group.Go(func() {
			for i := range queue {
				u := &job.Units[i]
				out, err := p.Handlers.Do(ctx, u, in, 0)
				mu.Lock()
				switch {
				case ctx.Err() != nil: // under the lock, so that no outcome follows one that stopped the job
				case err != nil:
					faults[i] = &UnitError{i, u.ID, u.Kind, err}
				default:
					if err := each(i, out); err != nil {
						cancel(err)
					}
				}
				mu.Unlock()
			}
		})
	}
feed:
	for i := range job.Units {
		select {
		case queue <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(faults...)
}
