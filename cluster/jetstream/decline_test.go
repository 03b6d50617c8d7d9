package jetstream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/internal/must"
)

// declinedOften reports whether workers gave back every unit of a job more often than a unit may get lost. It fails the test if one
// was set aside.
func declinedOften(t *testing.T, c *Client, job Record) bool {
	t.Helper()
	keys, err := c.troubleKeys(t.Context(), job.ID)
	if err != nil || len(keys) < job.Units {
		return false
	}
	for _, key := range keys {
		tr := must.Get(c.readTrouble(t.Context(), job.ID, key[len(job.ID)+1:]))
		if tr.Aside != "" || len(tr.Errors) > 0 || len(tr.Declined) > 1 {
			t.Fatalf("a unit beyond the limits of one worker: %+v", tr)
		}
		if tr.Returned <= mostLost {
			return false
		}
	}
	return true
}

// TestSmallWorkerLeavesUnitsToOthers checks that units beyond the limits of every worker present wait, also
// over a second submission, and a larger worker does them.
func TestSmallWorkerLeavesUnitsToOthers(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	job := toyJob(t, numbers(4, toy{})...)
	c, own := client(t, h), client(t, h)
	record := mustRecord(t, job, c.door)
	var heard, told said
	c.Warn = heard.add
	working(t, own, Worker{Name: "small", MaxMemory: 1 << 10, Tell: func(d Done) { told.add(d.Unit + " " + d.Err.Error()) }})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { _, err := merged(ctx, &Submitter{c, nil}, job); first <- err }()
	eventually(t, "the small worker declined every unit many times", func() bool { return declinedOften(t, c, record) })
	eventually(t, "the submitter says so", func() bool {
		return heard.has("worker small cannot do a unit") && heard.has("exceed the limits of every worker that is present")
	})
	eventually(t, "the worker named each unit", func() bool { return told.count() >= 4 })
	if n := told.count(); n != 4 {
		t.Errorf("the worker named %d units, want each of 4 once", n)
	}
	eventually(t, "the list of jobs has the worker of each unit", func() bool { // it may miss what changes at that moment
		list, err := c.List(t.Context())
		return err == nil && len(list.Jobs) == 1 && len(list.Jobs[0].Trouble) == 4 && list.Jobs[0].Trouble[0].Declined[0].Worker == "small"
	})
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Fatalf("the first submission: %v", err)
	}
	var got string
	second := make(chan error, 1)
	go func() {
		var err error
		got, err = merged(t.Context(), &Submitter{client(t, h), nil}, job)
		second <- err
	}()
	working(t, client(t, h), Worker{Name: "large"})
	if err := <-second; err != nil || got != local(t, job) {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestDecliningIsIdle checks that a worker that declines all that waits has nothing to do.
func TestDecliningIsIdle(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	job := toyJob(t, numbers(4, toy{})...)
	c := client(t, h)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := merged(ctx, &Submitter{c, nil}, job); ended <- err }()
	bounded, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if err := client(t, h).Work(bounded, Worker{Jobs: 1, Handlers: toys(nil), MaxMemory: 1 << 10, Idle: 300 * time.Millisecond}); err != nil {
		t.Error(err)
	}
	cancel()
	<-ended
}

// TestTroubleAfterPurge checks that deleted trouble can be recorded again, although the bucket keeps a deletion
// marker.
func TestTroubleAfterPurge(t *testing.T) {
	t.Parallel()
	c := client(t, inside(t, hub.Settings{}))
	note := func(ctx context.Context, change func(*Trouble)) (Trouble, error) {
		return c.changeTrouble(ctx, "0123456789abcdef", "unit", change)
	}
	must.Get(note(t.Context(), func(t *Trouble) { t.Returned = 5 }))
	must.Succeed(t, c.lay.trouble.Purge(t.Context(), "0123456789abcdef.unit"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	tr, err := note(ctx, func(t *Trouble) {
		if calls++; calls > 1 {
			cancel()
		}
		t.Returned++
	})
	if err != nil || calls != 1 || tr.Returned != 1 {
		t.Errorf("%d calls, %+v, %v", calls, tr, err)
	}
}

// TestSetAsideIsNotMissing checks that a unit that was set aside after the submitter last read the trouble is
// not submitted again.
func TestSetAsideIsNotMissing(t *testing.T) {
	t.Parallel()
	c := client(t, inside(t, hub.Settings{}))
	job := toyJob(t, numbers(2, toy{})...)
	run := &submission{Submitter: &Submitter{c, nil}, record: mustRecord(t, job, c.door), job: job, aside: map[string]Trouble{}}
	run.places = map[string][]int{job.Units[0].ID: {0}, job.Units[1].ID: {1}}
	must.Get(c.changeTrouble(t.Context(), run.record.ID, job.Units[0].ID, func(t *Trouble) { t.Aside = "it cannot be done" }))
	if n, err := run.submitMissing(t.Context()); n != 1 || err != nil || run.aside[job.Units[0].ID].Aside == "" {
		t.Errorf("%d units submitted, %v, set aside: %v", n, err, run.aside)
	}
}

// TestQueueWithoutItsFolder checks that a new queue is created after the server deleted the folder of a queue
// that two submitters opened and deleted at the same time.
func TestQueueWithoutItsFolder(t *testing.T) {
	t.Parallel()
	store := t.TempDir()
	h := inside(t, hub.Settings{Store: store})
	c := client(t, h)
	job := toyJob(t, numbers(4, toy{})...)
	run := &submission{Submitter: &Submitter{c, nil}, record: mustRecord(t, job, c.door), job: job}
	must.Succeed(t, run.openQueue(t.Context()))
	folders, err := filepath.Glob(filepath.Join(store, "jetstream", "*", "streams", workStream, "obs", consumerName(run.record.ID)))
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	must.Succeed(t, os.RemoveAll(folders[0]))
	_, err = c.lay.work.CreateOrUpdateConsumer(t.Context(), js.ConsumerConfig{Durable: consumerName(run.record.ID), AckPolicy: js.AckExplicitPolicy, FilterSubject: workSubject(run.record.ID, "*")})
	if code(err) != codeConsumerCreate {
		t.Fatalf("the server no longer fails here, and openQueue need not delete the queue: %v", err)
	}
	working(t, client(t, h), Worker{})
	if got, err := merged(t.Context(), &Submitter{c, nil}, job); err != nil || got != local(t, job) {
		t.Errorf("%v\n%s", err, got)
	}
}

// delivered is a message of the results.
type delivered struct {
	js.Msg
	subject string
	data    []byte
	header  nats.Header
}

func (m delivered) Subject() string      { return m.subject }
func (m delivered) Data() []byte         { return m.data }
func (m delivered) Headers() nats.Header { return m.header }

// TestOutcomeOfAUnitSetAside checks that a unit that was set aside and has an outcome after all counts as done, once.
func TestOutcomeOfAUnitSetAside(t *testing.T) {
	times := 0
	run := &submission{Submitter: &Submitter{&Client{}, nil}, places: map[string][]int{"u": {0}}, have: map[string]bool{}, aside: map[string]Trouble{"u": {Aside: "it failed"}}}
	run.each = func(int, []byte) error { times++; return nil }
	msg := delivered{subject: resultSubject("job", "u"), data: []byte("42"), header: nats.Header{}}
	msg.header.Set(headerHash, work.Hash(msg.data))
	for range 2 {
		must.Succeed(t, run.take(t.Context(), msg))
	}
	if times != 1 || !run.have["u"] || len(run.aside) != 0 {
		t.Errorf("passed on %d times, done %v, set aside %v", times, run.have, run.aside)
	}
}
