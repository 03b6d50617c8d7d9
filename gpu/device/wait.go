package device

import (
	"context"
	"errors"
)

// maxSearches is the largest number of concurrent sessions of single problems; more wait. The device evaluates
// them one after the other, so more would only use memory.
const maxSearches = 16

// begin opens a session of one problem. It waits for a free slot and, if the memory is full, for the end of
// another session. It returns 0 if ctx has ended.
func (d *Device) begin(ctx context.Context, problem *Problem) (session int, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	select {
	case d.searches <- struct{}{}:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	for {
		d.groups.Lock()
		session, err := d.openSession(problem)
		others, freed := d.holding, d.freed
		if err == nil {
			d.holding++
		}
		d.groups.Unlock()
		switch {
		case err == nil:
			return session, nil
		case others > 0 && errors.Is(err, ErrFull):
			select {
			case <-freed:
				continue
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
		}
		<-d.searches
		return 0, err
	}
}

// end frees the slot of a closed session.
func (d *Device) end() {
	d.groups.Lock()
	d.holding--
	close(d.freed)
	d.freed = make(chan struct{})
	d.groups.Unlock()
	<-d.searches
}
