package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	js "github.com/nats-io/nats.go/jetstream"

	"github.com/polydag/polydag/internal/work"
)

// A Worker does units. It takes those of jobs that are for the same program and within its limits, one for each of its places, and
// leaves the others to others.
type Worker struct {
	Name     string // in lists; made of host and process if empty
	Handlers work.Handlers
	Jobs     int   // units at the same time
	MaxBytes int64 // of one input or outcome; 0 is no limit
	// MaxMemory bounds what the units that are done at a time may come to by their own estimate; 0 is no limit.
	MaxMemory int64
	// Idle ends Work when there has been nothing to do for so long; 0 never does.
	Idle time.Duration
	// Tell is told of every unit that ended, from several goroutines; it may be nil.
	Tell func(Done)
}

// Done says how a unit ended at a worker.
type Done struct {
	Job, Unit string
	Seconds   float64
	Err       error // nil if its outcome is stored
}

// How often a unit is tried. An error is most likely the unit's own; a unit that was given out and never came back may have met a machine
// that was switched off, and has more chances.
const (
	mostErrors = 3
	mostLost   = 8
)

// station is one call of Work.
type station struct {
	*Client
	Worker
	inputs *work.Inputs

	mu      sync.Mutex
	jobs    map[string]*openJob // that this worker does
	order   []string
	refused map[string]bool
	busy    map[string]Running // by unit
	done    int
	failed  int
	active  time.Time // when something was last to do
}

// openJob is a job that the worker takes units of.
type openJob struct {
	Record
	queue js.Consumer // nil before it was first asked for
}

// Work does units until ctx ends, and gives back what it has not finished. It returns nil after Idle, and the cause of ctx otherwise.
func (c *Client) Work(ctx context.Context, w Worker) error {
	if w.Jobs < 1 {
		return fmt.Errorf("setting Jobs = %d, want at least 1", w.Jobs)
	}
	if w.Name == "" {
		w.Name = defaultName()
	}
	s := &station{Client: c, Worker: w, jobs: map[string]*openJob{}, refused: map[string]bool{}, busy: map[string]Running{}, active: time.Now()}
	s.inputs = work.NewInputs(func(ctx context.Context, hash string) ([]byte, error) { return c.fetch(ctx, hash, w.MaxBytes) })
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

// watchJobs keeps the list of jobs up to date. It reads all of them at every change and every few seconds: there are few, and a watch that
// the server lost would otherwise go unnoticed.
func (s *station) watchJobs(ctx context.Context) {
	for ctx.Err() == nil {
		s.refreshJobs(ctx)
		watch, err := s.lay.jobs.WatchAll(ctx, js.UpdatesOnly())
		if err != nil {
			sleep(ctx, time.Second)
			continue
		}
		s.refreshJobs(ctx) // what came before the watch began
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
		return // the next look has it
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	open := map[string]*openJob{}
	s.order = s.order[:0]
	for _, r := range records {
		if r.Done {
			continue
		}
		if err := r.refuse(s.door, s.Handlers, s.MaxBytes); err != nil {
			s.refuseOnce(r.ID, fmt.Sprintf("job %s (%s) is left to others: %v", r.ID, r.Title, err))
			continue
		}
		if open[r.ID] = s.jobs[r.ID]; open[r.ID] == nil {
			open[r.ID] = &openJob{Record: r}
		}
		s.order = append(s.order, r.ID)
	}
	for key, err := range bad {
		s.refuseOnce(key, err.Error())
	}
	s.jobs = open
}

func (s *station) refuseOnce(key, sentence string) {
	if !s.refused[key] {
		s.refused[key] = true
		s.say("%s", sentence)
	}
}

// next takes one unit of some job and does it. Jobs take turns.
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
		patience := 20 * time.Millisecond // with several jobs, each is asked shortly
		if len(list) == 1 || i == len(list)-1 {
			patience = time.Second
		}
		msg := s.fetchUnit(ctx, job, patience)
		if msg == nil {
			continue
		}
		s.mu.Lock()
		s.active = time.Now()
		s.mu.Unlock()
		s.handle(ctx, job, msg)
		return
	}
}

// fetchUnit asks the queue of a job for one unit; nil where there is none now.
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
		s.forget(job) // the queue may have been made anew
		sleep(ctx, 100*time.Millisecond)
	}
	return nil
}

func (s *station) forget(job *openJob) {
	s.mu.Lock()
	job.queue = nil
	s.mu.Unlock()
}

// handle does one unit: whatever happens, its message is acknowledged after its outcome is stored, given back, or set aside.
func (s *station) handle(ctx context.Context, job *openJob, msg js.Msg) {
	name := msg.Subject()[strings.LastIndexByte(msg.Subject(), '.')+1:]
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
	if s.active = time.Now(); err == nil {
		s.done++
	} else if ctx.Err() == nil {
		s.failed++
	}
	s.mu.Unlock()
	if s.Tell != nil && ctx.Err() == nil {
		s.Tell(Done{Job: job.ID, Unit: name, Seconds: time.Since(start).Seconds(), Err: err})
	}
}

// heartbeat tells the server that the unit is being worked on.
func (s *station) heartbeat(ctx context.Context, msg js.Msg) {
	tick := time.NewTicker(s.timing.Ack / 3)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = msg.InProgress() // lost ones are followed by others
		case <-ctx.Done():
			return
		}
	}
}

// attempt does the unit of a message. An error has been dealt with when it returns.
func (s *station) attempt(ctx context.Context, job *openJob, name string, msg js.Msg) error {
	u, err := work.DecodeUnit(msg.Data())
	if err == nil && (u.ID != name || !slices.Contains(job.Kinds, u.Kind)) {
		err = fmt.Errorf("%w: it is called %.40q and is %s of kind %s", work.ErrUnit, name, u.ID, u.Kind)
	}
	if err != nil {
		return s.setAside(ctx, job, name, msg, fmt.Errorf("refused: %w", err))
	}
	given := uint64(1)
	if meta, err := msg.Metadata(); err == nil {
		given = meta.NumDelivered
	}
	if given > 1 {
		if done, err := s.settled(ctx, job, name, msg, given); done || err != nil {
			return err
		}
	}
	back := make(chan struct{})
	stay := context.AfterFunc(ctx, func() { // at once: the handler may be slow to end
		defer close(back)
		s.giveBack(context.WithoutCancel(ctx), job, name, msg)
	})
	outcome, err := s.do(ctx, &u)
	if !stay() {
		<-back
		return context.Cause(ctx)
	}
	if err == nil && s.MaxBytes > 0 && int64(len(outcome)) > s.MaxBytes {
		err = fmt.Errorf("its outcome has %d bytes and at most %d are taken here", len(outcome), s.MaxBytes)
	}
	if err != nil {
		return s.failure(ctx, job, name, msg, err)
	}
	if _, err := s.putOutcome(ctx, job.ID, name, s.Name, outcome); err != nil {
		if ctx.Err() != nil {
			s.giveBack(context.WithoutCancel(ctx), job, name, msg)
			return context.Cause(ctx)
		}
		return s.failure(ctx, job, name, msg, err)
	}
	return s.acknowledge(ctx, msg)
}

// do calls the handler. A panic of it is an error of the unit: the other units of this worker are not to blame.
func (s *station) do(ctx context.Context, u *work.Unit) (outcome []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return s.Handlers.Do(ctx, u, s.inputs, s.MaxMemory/int64(s.Jobs))
}

// settled looks at a unit that was given out before: it may have an outcome, or be one that no worker survives.
func (s *station) settled(ctx context.Context, job *openJob, name string, msg js.Msg, given uint64) (bool, error) {
	var has bool
	err := s.retry(ctx, "looking for an outcome", func(ctx context.Context) (err error) {
		has, err = s.hasOutcome(ctx, job.ID, name)
		return err
	})
	if err != nil {
		return true, err
	}
	if has {
		return true, s.acknowledge(ctx, msg)
	}
	if given <= mostLost {
		return false, nil
	}
	t, err := s.readTrouble(ctx, job.ID, name)
	if err != nil {
		return true, err
	}
	lost := int(given) - 1 - t.Returned - len(t.Errors)
	if lost < mostLost {
		return false, nil
	}
	return true, s.setAside(ctx, job, name, msg, fmt.Errorf("it was given out %d times and neither outcome nor error came back: it may end the workers that do it", lost))
}

// failure notes an error of a unit, and gives it back or sets it aside.
func (s *station) failure(ctx context.Context, job *openJob, name string, msg js.Msg, why error) error {
	t, err := s.changeTrouble(ctx, job.ID, name, func(t *Trouble) {
		t.Errors = append(t.Errors, Mistake{s.Name, short(why.Error(), 2000)})
	})
	if err != nil {
		return errors.Join(why, err)
	}
	if len(t.Errors) >= mostErrors {
		return s.setAside(ctx, job, name, msg, why)
	}
	_ = msg.NakWithDelay(s.timing.Retry) // without it the server waits for the heartbeats to end
	return why
}

// setAside ends the attempts at a unit: it is named in the list of trouble and leaves the queue.
func (s *station) setAside(ctx context.Context, job *openJob, name string, msg js.Msg, why error) error {
	text := short(why.Error(), 2000)
	if _, err := s.changeTrouble(ctx, job.ID, name, func(t *Trouble) { t.Aside = text }); err != nil {
		return errors.Join(why, err)
	}
	return errors.Join(why, s.acknowledge(ctx, msg))
}

// giveBack hands a unit to whoever asks next, when this worker ends. That is no failure of the unit.
func (s *station) giveBack(ctx context.Context, job *openJob, name string, msg js.Msg) {
	ctx, cancel := context.WithTimeout(ctx, parting)
	defer cancel()
	_, _ = s.changeTrouble(ctx, job.ID, name, func(t *Trouble) { t.Returned++ }) // what is not noted counts as lost
	_ = msg.Nak()
	_ = s.nc.FlushWithContext(ctx)
}

// parting is how long a worker that ends waits for the server.
const parting = 200 * time.Millisecond

// acknowledge takes a unit out of the queue. If the server does not confirm, the unit is given out again and found to be done.
func (s *station) acknowledge(ctx context.Context, msg js.Msg) error {
	bounded, cancel := context.WithTimeout(ctx, answer)
	defer cancel()
	if err := msg.DoubleAck(bounded); err != nil && !passing(err) && ctx.Err() == nil && !errors.Is(err, js.ErrMsgAlreadyAckd) {
		return fmt.Errorf("acknowledging: %w", err)
	}
	return nil
}

// encode is for the list of workers.
func (p Presence) encode() []byte {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // plain fields
	}
	return b
}
