package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	js "github.com/nats-io/nats.go/jetstream"

	"github.com/polydag/polydag/cluster/work"
)

// A Worker does units of jobs that have the same Door and are within its limits.
type Worker struct {
	Name     string // shown in lists; host and process if empty
	Handlers work.Handlers
	Jobs     int   // number of concurrent units
	MaxBytes int64 // largest input or outcome in bytes; 0 means no limit
	// MaxMemory limits the estimated memory of all concurrent units. The share of one unit also limits an
	// input, which is held in memory. 0 means no limit.
	MaxMemory int64
	// Folder is work.Inputs.Folder.
	Folder string
	// Store keeps inputs for the workers of one machine: it returns the bytes of a hash, and calls fetch if it has none. It may be nil.
	Store func(ctx context.Context, hash string, fetch func(context.Context) ([]byte, error)) ([]byte, error)
	// Idle ends Work after this time without a unit; 0 means never.
	Idle time.Duration
	// MaxTime ends a unit that takes longer, with an error; 0 means no limit.
	MaxTime time.Duration
	// Tell is called for every finished unit, from several goroutines; it may be nil.
	Tell func(Done)
}

// Done is the end of a unit at a worker.
type Done struct {
	Job, Unit string
	Seconds   float64
	Err       error // nil if its outcome is stored
}

// share returns the memory limit of one unit; 0 means no limit.
func (w *Worker) share() int64 { return w.MaxMemory / int64(w.Jobs) }

// mostInput returns the size of the largest accepted input; 0 means no limit.
func (w *Worker) mostInput() int64 {
	if w.MaxBytes > 0 && w.share() > 0 {
		return min(w.MaxBytes, w.share())
	}
	return max(w.MaxBytes, w.share())
}

// These are the numbers of attempts for a unit. An error is most likely caused by the unit. A unit that was
// lost may have been on a machine that was switched off, so it gets more attempts.
const (
	mostErrors = 3
	mostLost   = 8
)

type station struct {
	*Client
	Worker
	inputs *work.Inputs

	mu      sync.Mutex
	jobs    map[string]*openJob // jobs that this worker does
	order   []string
	refused map[string]bool
	refuses []Refusal          // refused open jobs
	changed chan struct{}      // has a value when refuses has changed
	busy    map[string]Running // by unit
	running map[*bounded]bool  // units in progress
	done    int
	failed  int
	active  time.Time // time of the last activity
}

// openJob is a job from which the worker takes units.
type openJob struct {
	Record
	queue    js.Consumer     // nil before its first use
	declined map[string]bool // units that exceed the limits of this worker
}

// Work does units until ctx ends and returns unfinished ones to the queue. It returns nil after Idle, and
// otherwise the cause of ctx.
func (c *Client) Work(ctx context.Context, w Worker) error {
	if w.Jobs < 1 {
		return fmt.Errorf("setting Jobs = %d, want at least 1", w.Jobs)
	}
	if w.Name == "" {
		w.Name = defaultName()
	}
	s := &station{Client: c, Worker: w, jobs: map[string]*openJob{}, refused: map[string]bool{}, changed: make(chan struct{}, 1), busy: map[string]Running{}, running: map[*bounded]bool{}, active: time.Now()}
	s.inputs = work.NewInputs(func(ctx context.Context, hash string) ([]byte, error) {
		fetch := func(ctx context.Context) ([]byte, error) { return c.fetch(ctx, hash, w.mostInput()) }
		if w.Store == nil {
			return fetch(ctx)
		}
		return w.Store(ctx, hash, fetch)
	})
	s.inputs.Folder, s.inputs.Room = w.Folder, w.share()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	group.Go(func() { s.watchJobs(inner) })
	group.Go(func() { s.attend(inner, cancel) })
	for range w.Jobs {
		group.Go(func() {
			for at := 0; inner.Err() == nil; at++ {
				s.next(inner, at)
			}
		})
	}
	group.Wait()
	s.leave(context.WithoutCancel(ctx))
	if errors.Is(context.Cause(inner), errIdle) {
		return nil
	}
	return context.Cause(inner)
}

var errIdle = errors.New("nothing to do")

// watchJobs keeps the list of jobs up to date. It reads all jobs at every change and every few seconds, because
// there are few and a lost watch is not reported.
func (s *station) watchJobs(ctx context.Context) {
	for ctx.Err() == nil {
		s.refreshJobs(ctx)
		watch, err := s.lay.jobs.WatchAll(ctx, js.UpdatesOnly())
		if err != nil {
			sleep(ctx, time.Second)
			continue
		}
		s.refreshJobs(ctx) // changes before the watch began
		timeout := time.NewTimer(s.timing.Audit)
		select {
		case <-watch.Updates():
		case <-timeout.C:
		case <-ctx.Done():
		}
		timeout.Stop()
		_ = watch.Stop() // it may be gone with its server
	}
}

func (s *station) refreshJobs(ctx context.Context) {
	bounded, cancel := context.WithTimeout(ctx, 2*answer)
	defer cancel()
	records, bad, err := s.records(bounded)
	if err != nil {
		return // the next refresh will find it
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for u := range s.running {
		if !slices.ContainsFunc(records, func(r Record) bool { return r.ID == u.job }) {
			u.stop(errDeleted)
		}
	}
	open := map[string]*openJob{}
	s.order = s.order[:0]
	var refuses []Refusal
	for _, r := range records {
		if r.Done {
			continue
		}
		if err := r.refuse(s.door, s.Handlers, s.mostInput()); err != nil {
			if r.Door == s.door && len(refuses) < mostRefusals {
				refuses = append(refuses, Refusal{r.ID, short(err.Error(), 500)})
			}
			s.refuseOnce(r.ID, fmt.Sprintf("job %s (%s) is left to others: %v", r.ID, r.Title, err))
			continue
		}
		if open[r.ID] = s.jobs[r.ID]; open[r.ID] == nil {
			open[r.ID] = &openJob{Record: r, declined: map[string]bool{}}
		}
		s.order = append(s.order, r.ID)
	}
	for key, err := range bad {
		s.refuseOnce(key, err.Error())
	}
	s.jobs = open
	if !slices.Equal(refuses, s.refuses) {
		s.refuses = refuses
		select {
		case s.changed <- struct{}{}:
		default:
		}
	}
}

const mostRefusals = 100

func (s *station) refuseOnce(key, sentence string) {
	if !s.refused[key] {
		s.refused[key] = true
		s.logf("%s", sentence)
	}
}

// next takes one unit of some job and does it. Jobs alternate.
func (s *station) next(ctx context.Context, turn int) {
	s.mu.Lock()
	var list []*openJob
	for i := range s.order {
		list = append(list, s.jobs[s.order[(turn+i)%len(s.order)]])
	}
	s.mu.Unlock()
	if len(list) == 0 {
		sleep(ctx, 50*time.Millisecond)
		return
	}
	for i, job := range list {
		patience := 20 * time.Millisecond // with several jobs, each is asked briefly
		if len(list) == 1 || i == len(list)-1 {
			patience = time.Second
		}
		msg := s.fetchUnit(ctx, job, patience)
		if msg == nil {
			continue
		}
		s.handle(ctx, job, msg)
		return
	}
}

// fetchUnit asks the queue of a job for one unit and returns nil if there is none.
func (s *station) fetchUnit(ctx context.Context, job *openJob, patience time.Duration) js.Msg {
	s.mu.Lock()
	queue := job.queue
	s.mu.Unlock()
	if queue == nil {
		bounded, cancel := context.WithTimeout(ctx, answer)
		defer cancel()
		var err error
		if queue, err = s.lay.work.Consumer(bounded, consumerName(job.ID)); err != nil {
			sleep(ctx, patience)
			return nil
		}
		s.mu.Lock()
		job.queue = queue
		s.mu.Unlock()
	}
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	got, err := queue.Fetch(1, js.FetchContext(bounded))
	if err != nil {
		s.forget(job)
		sleep(ctx, patience)
		return nil
	}
	for msg := range got.Messages() {
		return msg
	}
	if err := got.Error(); err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "timeout") {
		s.forget(job) // the queue may have been recreated
		sleep(ctx, 100*time.Millisecond)
	}
	return nil
}

func (s *station) forget(job *openJob) {
	s.mu.Lock()
	job.queue = nil
	s.mu.Unlock()
}

// errDeleted ends the units of a job that was deleted.
var errDeleted = errors.New("the job was deleted")

// bounded is a unit in progress.
type bounded struct {
	job  string
	stop context.CancelCauseFunc
}

// bound returns the context of a unit: it ends after MaxTime, and when the job is deleted. The caller calls end.
func (s *station) bound(ctx context.Context, job *openJob) (_ context.Context, end func()) {
	ctx, stop := context.WithCancelCause(ctx)
	u, cancel := &bounded{job.ID, stop}, func() {}
	if s.MaxTime > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, s.MaxTime, fmt.Errorf("the unit took longer than %v, the limit of this worker (setting max-time)", s.MaxTime))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[u] = true
	return ctx, func() {
		cancel()
		stop(nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, u)
	}
}

// handle does one unit. Its message is always acknowledged after its outcome is stored, returned, or set aside.
func (s *station) handle(ctx context.Context, job *openJob, msg js.Msg) {
	name := unitOf(msg.Subject())
	start := time.Now()
	s.mu.Lock()
	s.busy[name] = Running{Job: job.ID, Unit: name, Since: start.UTC().Truncate(time.Second)}
	s.mu.Unlock()
	beat, cancel := context.WithCancel(context.WithoutCancel(ctx))
	go s.heartbeat(beat, msg)
	err := s.attempt(ctx, job, name, msg)
	cancel()
	s.mu.Lock()
	delete(s.busy, name)
	declined := errors.Is(err, work.ErrLimit)
	again := declined && job.declined[name]
	switch {
	case declined: // neither activity nor a failure; the unit returns until another worker takes it
		job.declined[name] = true
	case err == nil:
		s.done++
	case ctx.Err() == nil && !errors.Is(err, errDeleted):
		s.failed++
	}
	if !declined {
		s.active = time.Now()
	}
	s.mu.Unlock()
	if again {
		return
	}
	if s.Tell != nil && ctx.Err() == nil {
		s.Tell(Done{Job: job.ID, Unit: name, Seconds: time.Since(start).Seconds(), Err: err})
	}
}

// heartbeat reports regularly that the unit is in progress.
func (s *station) heartbeat(ctx context.Context, msg js.Msg) {
	tick := time.NewTicker(s.timing.Ack / 3)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = msg.InProgress() // a lost heartbeat is followed by others
		case <-ctx.Done():
			return
		}
	}
}
