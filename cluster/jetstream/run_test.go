package jetstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	js "github.com/nats-io/nats.go/jetstream"

	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/cluster/hub/server"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/internal/must"
)

// TestDistributedIsLocal checks that two workers give the same bytes as the local pool, and that the stored
// outcomes suffice without any worker.
func TestDistributedIsLocal(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	job := toyJob(t, append(numbers(100, toy{}), toy{Number: 1}, toy{Number: 7, Size: 3 << 20})...) // one twice, one too large for a message
	want := local(t, job)
	stop1, stop2 := working(t, client(t, h), Worker{}), working(t, client(t, h), Worker{})
	c := client(t, h)
	var last JobProgress
	got, err := merged(t.Context(), &Submitter{c, func(p JobProgress) { last = p }}, job)
	if err != nil || got != want {
		t.Fatalf("%v; %d bytes, want %d", err, len(got), len(want))
	}
	if last.Done != 101 || last.Total != 101 {
		t.Errorf("progress %+v", last)
	}
	stop1()
	stop2()
	if got, err := merged(t.Context(), &Submitter{client(t, h), nil}, job); err != nil || got != want {
		t.Errorf("a second time: %v; %d bytes", err, len(got))
	}
	list, err := c.List(t.Context())
	if err != nil || len(list.Jobs) != 1 || !list.Jobs[0].Done || list.Jobs[0].Outcomes != 101 || list.Jobs[0].Waiting != 0 || len(list.Workers) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestSubmitterComesBack checks that a submitter that ends leaves its units to the workers, and finds the
// outcomes when it comes back.
func TestSubmitterComesBack(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	job := toyJob(t, numbers(60, toy{Pause: 5})...)
	want := local(t, job)
	var begun atomic.Int32
	working(t, client(t, h), Worker{Handlers: toys(func(toy) { begun.Add(1) })})
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	first := client(t, h)
	err := (&Submitter{first, nil}).Run(ctx, job, func(int, []byte) error {
		if seen++; seen == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first.Close()
	got, err := merged(t.Context(), &Submitter{client(t, h), nil}, job)
	if err != nil || got != want {
		t.Fatalf("%v\n%s", err, got)
	}
	if n := begun.Load(); n < 60 || n > 62 {
		t.Errorf("%d units were begun for 60", n)
	}
}

// TestWorkerGivesBack checks that a stopped worker returns its units any number of times without counting as a
// failure.
func TestWorkerGivesBack(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	job := toyJob(t, toy{Number: 5, Pause: 300})
	want := local(t, job)
	var got string
	var err error
	var group sync.WaitGroup
	submitter := client(t, h)
	group.Go(func() { got, err = merged(t.Context(), &Submitter{submitter, nil}, job) })
	for range mostLost + 2 {
		begun := make(chan struct{}, 10)
		stop := working(t, client(t, h), Worker{Handlers: toys(func(toy) { begun <- struct{}{} })})
		<-begun
		stop()
	}
	working(t, client(t, h), Worker{})
	group.Wait()
	if err != nil || got != want {
		t.Fatalf("%v: %s", err, got)
	}
}

// TestPoisonIsSetAside checks that units that fail or panic are tried a few times, set aside and named, while
// the others are done. The next submission tries them again.
func TestPoisonIsSetAside(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	list := numbers(20, toy{})
	list[3].Fail, list[11].Fail = "error", "panic"
	job := toyJob(t, list...)
	var tries atomic.Int32
	stop := working(t, client(t, h), Worker{Name: "w1", Handlers: toys(func(q toy) {
		if q.Fail != "" {
			tries.Add(1)
		}
	})})
	c := client(t, h)
	done := 0
	err := (&Submitter{c, nil}).Run(t.Context(), job, func(int, []byte) error { done++; return nil })
	var fault *work.UnitError
	if !errors.As(err, &fault) || fault.Index != 3 || !strings.Contains(err.Error(), "this unit cannot be done") || !strings.Contains(err.Error(), "this unit has a bug") || done != 18 {
		t.Fatalf("%v, done %d", err, done)
	}
	if tries.Load() != 2*mostErrors {
		t.Errorf("%d tries", tries.Load())
	}
	listing, err := c.List(t.Context())
	if err != nil || len(listing.Jobs) != 1 || len(listing.Jobs[0].Trouble) != 2 || listing.Jobs[0].Trouble[0].Errors[0].Worker != "w1" {
		t.Fatalf("%+v, %v", listing, err)
	}
	stop()
	// The same program, mended.
	mended := toys(nil)
	mended["toy/1"] = work.Handler{Do: func(context.Context, json.RawMessage, *work.Inputs) ([]byte, error) { return []byte("mended"), nil }}
	working(t, client(t, h), Worker{Handlers: mended})
	if got, err := merged(t.Context(), &Submitter{c, nil}, job); err != nil || strings.Count(got, "mended") != 2 {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestKillerIsSetAside checks that a unit whose workers die silently is delivered again, and set aside after
// some time.
func TestKillerIsSetAside(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	job := toyJob(t, toy{Number: 3})
	c := client(t, h)
	result := make(chan error, 1)
	go func() {
		result <- (&Submitter{c, nil}).Run(t.Context(), job, func(int, []byte) error { return nil })
	}()
	name, dying := consumerName(mustRecord(t, job, c.door).ID), client(t, h)
	for given := 0; given < mostLost; { // takes the unit and does not report again
		queue, err := dying.lay.work.Consumer(t.Context(), name)
		if errors.Is(err, js.ErrConsumerNotFound) {
			continue
		}
		must.Succeed(t, err)
		batch := must.Get(queue.Fetch(1))
		for msg := range batch.Messages() {
			given++
			if err := msg.Nak(); err != nil { // as if the time for it were over
				t.Fatal(err)
			}
		}
	}
	var begun atomic.Int32
	working(t, client(t, h), Worker{Handlers: toys(func(toy) { begun.Add(1) })})
	if err := <-result; err == nil || !strings.Contains(err.Error(), job.Units[0].ID) || !strings.Contains(err.Error(), "it may end the workers") || begun.Load() != 0 {
		t.Fatalf("%v, begun %d times", err, begun.Load())
	}
}

// TestLostUnitsAreSubmittedAgain checks that units lost by a server are submitted again.
func TestLostUnitsAreSubmittedAgain(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	job := toyJob(t, numbers(30, toy{})...)
	want := local(t, job)
	c := client(t, h)
	var got string
	var err error
	var group sync.WaitGroup
	submitter := client(t, h)
	group.Go(func() { got, err = merged(t.Context(), &Submitter{submitter, nil}, job) })
	eventually(t, "all units wait", func() bool {
		l, err := c.List(t.Context())
		return err == nil && len(l.Jobs) == 1 && l.Jobs[0].Waiting == 30
	})
	must.Succeed(t, c.closeQueue(t.Context(), mustRecord(t, job, c.door).ID))
	working(t, client(t, h), Worker{})
	group.Wait()
	if err != nil || got != want {
		t.Fatalf("%v\n%s", err, got)
	}
}

func mustRecord(t testing.TB, job *work.Job, door Door) Record {
	t.Helper()
	r := must.Get(recordOf(job, door))
	return r
}

// TestTwoSubmitters checks that two submitters of one job both have all of it, and the units are done once.
func TestTwoSubmitters(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	job := toyJob(t, numbers(50, toy{Pause: 2})...)
	want := local(t, job)
	var begun atomic.Int32
	working(t, client(t, h), Worker{Handlers: toys(func(toy) { begun.Add(1) })})
	var group sync.WaitGroup
	for range 2 {
		c := client(t, h)
		group.Go(func() {
			if got, err := merged(t.Context(), &Submitter{c, nil}, job); err != nil || got != want {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
	group.Wait()
	if n := begun.Load(); n > 55 {
		t.Errorf("%d units were begun for 50", n)
	}
}

// TestDelete checks that a deleted job leaves nothing, and that a waiting submitter submits it again.
func TestDelete(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	job := toyJob(t, numbers(5, toy{})...)
	c := client(t, h)
	id := mustRecord(t, job, c.door).ID
	if err := c.Delete(t.Context(), id); err == nil || !strings.Contains(err.Error(), "there is no job") {
		t.Errorf("%v", err)
	}
	if err := c.Delete(t.Context(), "*"); err == nil {
		t.Error("a pattern is taken for a job")
	}
	stop := working(t, client(t, h), Worker{})
	must.Get(merged(t.Context(), &Submitter{c, nil}, job))
	stop()
	must.Succeed(t, c.Delete(t.Context(), id))
	for _, s := range []js.Stream{c.lay.work, c.lay.result} {
		if info, err := s.Info(t.Context()); err != nil || info.State.Msgs != 0 {
			t.Errorf("%+v, %v", info, err)
		}
	}
	if l, err := c.List(t.Context()); err != nil || len(l.Jobs) != 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

// slowStore is an object store whose objects come in many small pieces.
type slowStore struct {
	js.ObjectStore
	pause time.Duration
}

type slowObject struct {
	js.ObjectResult
	pause time.Duration
}

func (s slowStore) Get(ctx context.Context, name string, opts ...js.GetObjectOpt) (js.ObjectResult, error) {
	o, err := s.ObjectStore.Get(ctx, name, opts...)
	return slowObject{o, s.pause}, err
}

func (o slowObject) Read(p []byte) (int, error) {
	time.Sleep(o.pause)
	return o.ObjectResult.Read(p[:min(len(p), 64<<10)])
}

// TestLargeInputOnASlowLine checks that an input that takes longer to fetch than one request may take arrives
// whole.
func TestLargeInputOnASlowLine(t *testing.T) {
	t.Parallel()
	h := inside(t, hub.Settings{})
	job := &work.Job{Title: "slow"}
	hash := job.Add(bytes.Repeat([]byte("0123456789abcdef"), 64<<10))
	c := client(t, h)
	must.Succeed(t, c.ship(t.Context(), job))
	c.lay.inputs = slowStore{c.lay.inputs, answer / 15}
	begun := time.Now()
	if got, err := c.fetch(t.Context(), hash, 0); err != nil || work.Hash(got) != hash {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if took := time.Since(begun); took < answer {
		t.Errorf("it took %s: the test shows nothing", took)
	}
	if _, err := c.fetch(t.Context(), hash, 100); err == nil || !strings.Contains(err.Error(), "at most 100") {
		t.Errorf("%v", err)
	}
}

// TestServerRestarts restarts the only server during a job: all clients wait and continue.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must.Succeed(t, err)
	opt := hub.Settings{Store: t.TempDir(), Listen: l.Addr().String()}
	l.Close()
	h := must.Get(server.Start(opt))
	connect := func() *Client {
		c := must.Get(Connect(t.Context(), Connection{URL: h.URL(), Timing: quick}))
		t.Cleanup(c.Close)
		return c
	}
	job := toyJob(t, numbers(40, toy{Pause: 20})...)
	submitter, watcher := connect(), connect()
	stop := working(t, connect(), Worker{Name: "steady"})
	half, ended := make(chan struct{}), make(chan error)
	var got string
	go func() {
		var b strings.Builder
		n := 0
		ended <- (&Submitter{submitter, nil}).Run(t.Context(), job, work.InOrder(40, func(i int, out []byte) error {
			if n++; n == 15 {
				close(half)
			}
			fmt.Fprintf(&b, "%d: %s\n", i, out)
			got = b.String()
			return nil
		}))
	}()
	<-half
	h.Stop()
	if h, err = server.Start(opt); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Stop() })
	if err := <-ended; err != nil || got != local(t, job) {
		t.Fatalf("%v\n%s", err, got)
	}
	eventually(t, "the worker is on the list again", func() bool {
		list, err := watcher.List(t.Context())
		return err == nil && len(list.Workers) == 1 && list.Workers[0].Name == "steady"
	})
	stop()
}

// TestOutcomesNearTheLimit checks that an outcome is stored whatever its size: one that leaves no space for the headers of a message is an
// object.
func TestOutcomesNearTheLimit(t *testing.T) {
	t.Parallel()
	c := client(t, inside(t, hub.Settings{}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	most := int(c.nc.MaxPayload())
	for i, want := range []struct {
		size   int
		object string
	}{{most - roomForHeaders, ""}, {most - roomForHeaders + 1, "yes"}, {most, "yes"}} {
		unit := fmt.Sprint("unit", i)
		if first, err := c.putOutcome(ctx, "job", unit, "worker", make([]byte, want.size)); err != nil || !first {
			t.Fatalf("%d bytes: first %v, %v", want.size, first, err)
		}
		msg, err := c.lay.result.GetLastMsgForSubject(ctx, resultSubject("job", unit))
		if err != nil || msg.Header.Get(headerObject) != want.object {
			t.Errorf("%d bytes: object %q, %v, want %q", want.size, msg.Header.Get(headerObject), err, want.object)
		}
		if first, err := c.putOutcome(ctx, "job", unit, "worker", []byte("other")); err != nil || first {
			t.Errorf("a second outcome: first %v, %v", first, err)
		}
	}
}
