package jetstream

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/cluster/hub"
)

// TestDeletedJobEndsItsUnits checks that a worker ends the units of a job that is deleted, records no trouble for it, and does other
// jobs.
func TestDeletedJobEndsItsUnits(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	job := toyJob(t, toy{Number: 1, Pause: 3_600_000})
	begun := make(chan bool, 1)
	told := make(chan Done, 10)
	working(t, client(t, h), Worker{Jobs: 1, Tell: func(d Done) { told <- d }, Handlers: toys(func(toy) {
		select {
		case begun <- true:
		default:
		}
	})})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan bool)
	submitter := client(t, h)
	go func() {
		_, _ = merged(ctx, &Submitter{submitter, nil}, job)
		close(ended)
	}()
	<-begun
	cancel() // a waiting submitter would submit the job again
	<-ended
	c := client(t, h)
	if err := c.Delete(t.Context(), mustRecord(t, job, c.door).ID); err != nil {
		t.Fatal(err)
	}
	if d := <-told; d.Err == nil || !strings.Contains(d.Err.Error(), "the job was deleted") {
		t.Errorf("the unit ended with %v", d.Err)
	}
	if list, err := c.List(t.Context()); err != nil || len(list.Jobs) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	other := toyJob(t, toy{Number: 2})
	if got, err := merged(t.Context(), &Submitter{c, nil}, other); err != nil || got != local(t, other) {
		t.Errorf("another job: %q, %v", got, err)
	}
}

// TestUnitBeyondTheTimeLimit checks that a unit which takes longer than MaxTime fails, and is set aside after some attempts.
func TestUnitBeyondTheTimeLimit(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	working(t, client(t, h), Worker{Jobs: 1, MaxTime: 20 * time.Millisecond})
	_, err := merged(t.Context(), &Submitter{client(t, h), nil}, toyJob(t, toy{Number: 1, Pause: 3_600_000}, toy{Number: 2}))
	if err == nil || !strings.Contains(err.Error(), "the unit took longer than 20ms, the limit of this worker (setting max-time)") {
		t.Errorf("got %v", err)
	}
}
