package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	js "github.com/nats-io/nats.go/jetstream"

	"github.com/polydag/polydag/cluster/work"
)

// collect receives outcomes until every unit has one or was set aside. It reads the stream from its beginning,
// to include outcomes of an earlier submission. While nothing arrives, it checks for lost units and for
// workers.
func (r *submission) collect(ctx context.Context) error {
	feed, again := make(chan js.Msg), make(chan struct{}, 1)
	go r.read(ctx, feed, again)
	pause := r.timing.Audit / 10 // a worker that refuses does so soon
	tick := time.NewTimer(pause)
	defer tick.Stop()
	watch := presence{limit: r.timing.NoWorker, since: time.Now(), free: time.Now()}
	r.tell()
	for len(r.have)+len(r.aside) < len(r.places) {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case msg := <-feed:
			if err := r.take(ctx, msg); err != nil {
				return err
			}
		case <-tick.C:
			lost, err := r.audit(ctx, &watch)
			if err != nil {
				return err
			}
			if lost {
				select {
				case again <- struct{}{}:
				default:
				}
			}
			r.tell()
			pause = min(2*pause, r.timing.Audit)
			tick.Reset(pause)
		}
	}
	r.tell()
	return nil
}

// mostTold limits the messages about refusals and failures.
const mostTold = 10

// pass reports once what a worker refused or failed, so that the user need not look at the worker.
func (r *submission) pass(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if r.told[text] || len(r.told) > mostTold {
		return
	}
	r.told[text] = true
	if len(r.told) > mostTold {
		text = "more workers refuse or fail units of this job; polydag jobs lists them"
	}
	r.logf("%s", text)
}

func (r *submission) tell() {
	if r.Progress != nil {
		r.Progress(JobProgress{Job: r.record.ID, Done: len(r.have), Total: len(r.places), Workers: r.seen})
	}
}

// take passes on one outcome unless it was already taken.
func (r *submission) take(ctx context.Context, msg js.Msg) error {
	id := unitOf(msg.Subject())
	places, ours := r.places[id]
	if !ours || r.have[id] {
		return nil
	}
	outcome, err := r.outcomeOf(ctx, msg)
	if err != nil {
		return err
	}
	r.have[id], r.last = true, time.Now()
	delete(r.aside, id)
	for _, i := range places {
		if err := r.each(i, outcome); err != nil {
			return err
		}
	}
	r.tell()
	return nil
}

// audit checks for workers, for units that were set aside and, after a while without news, for lost units. It
// reports whether stored outcomes did not arrive.
func (r *submission) audit(ctx context.Context, watch *presence) (lost bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, 2*answer)
	defer cancel()
	soft := func(err error) error { // a server that does not answer now is asked again later
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil || passing(err) {
			return nil
		}
		return err
	}
	var takers []string
	if list, err := r.listWorkers(bounded); err == nil { // without it only a message is missing
		takers = r.takers(list)
		for _, w := range list {
			if why, ok := w.refusal(r.record); ok {
				r.pass("worker %.60s refuses job %s: %s", w.Name, r.record.ID, why)
			}
		}
		if r.seen = watch.look(list, r.record); watch.due() {
			r.logf("%s", watch.sentence(r.record))
		}
	}
	stuck := 0 // units that every worker declined
	err = r.troubles(bounded, func(t Trouble) {
		for _, e := range slices.Concat(t.Errors, t.Declined) {
			line, _, _ := strings.Cut(e.Text, "\n")
			r.pass("worker %.60s cannot do a unit of job %s: %s", e.Worker, r.record.ID, line)
		}
		if t.Aside == "" && len(takers) > 0 && !slices.ContainsFunc(takers, func(name string) bool { return !t.declinedBy(name) }) {
			stuck++
		}
	})
	if err != nil {
		return false, soft(err)
	}
	if watch.beyond(stuck) {
		r.logf("%d units of job %s exceed the limits of every worker that is present; start a worker with higher limits: the job waits", stuck, r.record.ID)
	}
	if time.Since(r.last) < r.timing.Audit {
		return false, nil
	}
	queue, err := r.lay.work.Consumer(bounded, consumerName(r.record.ID))
	if errors.Is(err, js.ErrConsumerNotFound) {
		if err := r.openQueue(ctx); err != nil {
			return false, err
		}
	} else if err != nil {
		return false, soft(err)
	} else if info := queue.CachedInfo(); info.NumPending > 0 || info.NumAckPending > 0 {
		return false, nil
	}
	r.last = time.Now()
	sent, err := r.submitMissing(ctx)
	return sent == 0, err
}

// troubles calls each with the trouble of the units without an outcome, and records those that were set aside.
func (r *submission) troubles(ctx context.Context, each func(Trouble)) error {
	return r.entries(ctx, r.lay.trouble, r.record.ID+".*", func(key string, value []byte) {
		_, id, _ := strings.Cut(key, ".")
		var t Trouble
		if r.have[id] || r.places[id] == nil || json.Unmarshal(value, &t) != nil {
			return
		}
		if t.Aside != "" {
			r.aside[id] = t
		}
		each(t)
	})
}

// failures returns the errors of the units that were set aside, in the order of the job.
func (r *submission) failures() error {
	faults := make([]error, len(r.job.Units))
	for id, t := range r.aside {
		for _, i := range r.places[id] {
			faults[i] = &work.UnitError{Index: i, ID: id, Kind: r.job.Units[i].Kind, Err: errors.New(t.Aside)}
		}
	}
	return errors.Join(faults...)
}

// read feeds the outcomes of the job from the beginning of the stream. It starts again when the subscription
// breaks or again receives a value.
func (r *submission) read(ctx context.Context, feed chan<- js.Msg, again <-chan struct{}) {
	for ctx.Err() == nil {
		inner, cancel := context.WithCancel(ctx)
		go func() {
			select {
			case <-again:
				cancel()
			case <-inner.Done():
			}
		}()
		r.readOnce(inner, feed)
		cancel()
		sleep(ctx, 100*time.Millisecond)
	}
}

func (r *submission) readOnce(ctx context.Context, feed chan<- js.Msg) {
	consumer, err := r.js.OrderedConsumer(ctx, resultStream, js.OrderedConsumerConfig{FilterSubjects: []string{resultSubject(r.record.ID, "*")}, DeliverPolicy: js.DeliverAllPolicy})
	if err != nil {
		return
	}
	messages, err := consumer.Messages()
	if err != nil {
		return
	}
	defer messages.Stop()
	for {
		msg, err := messages.Next(js.NextContext(ctx))
		if err != nil {
			return
		}
		select {
		case feed <- msg:
		case <-ctx.Done():
			return
		}
	}
}

type presence struct {
	limit  time.Duration
	since  time.Time // no worker since then
	said   bool
	here   int
	refuse int            // number of workers that refuse the job
	other  map[string]int // number of workers of other program versions

	free      time.Time // last time without a unit that every worker declined
	stuckSaid bool
}

// beyond reports, once, that every present worker has declined some units for longer than the limit. A listing
// may miss a worker that is announcing itself, so one listing does not decide.
func (p *presence) beyond(units int) bool {
	if units == 0 {
		p.free, p.stuckSaid = time.Now(), false
	}
	if units == 0 || p.stuckSaid || time.Since(p.free) < p.limit {
		return false
	}
	p.stuckSaid = true
	return true
}

func (p *presence) look(list []Presence, job Record) int {
	p.here, p.refuse, p.other = 0, 0, map[string]int{}
	for _, w := range list {
		_, refuses := w.refusal(job)
		switch {
		case w.Door != job.Door:
			p.other[w.Door.String()]++
		case refuses:
			p.refuse++
		default:
			p.here++
		}
	}
	if p.here > 0 {
		p.since, p.said = time.Now(), false
	}
	return p.here
}

// due reports, once, that there has been no worker for too long.
func (p *presence) due() bool {
	if p.here > 0 || p.said || time.Since(p.since) < p.limit {
		return false
	}
	p.said = true
	return true
}

func (p *presence) sentence(r Record) string {
	if p.refuse > 0 {
		return fmt.Sprintf("no worker takes job %s: %d refuse it; start one with higher limits", r.ID, p.refuse)
	}
	if len(p.other) == 0 {
		return fmt.Sprintf("no worker has been there for %s; start one with polydag worker: job %s waits", p.limit, r.ID)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(p.other)) {
		list = append(list, fmt.Sprintf("%d of %s", p.other[name], name))
	}
	return fmt.Sprintf("no worker can do job %s, which is for %s; there are %s", r.ID, r.Door, strings.Join(list, ", "))
}

// takers lists the workers that accept units of the job.
func (r *submission) takers(list []Presence) (names []string) {
	for _, w := range list {
		if _, refuses := w.refusal(r.record); !refuses && w.Door == r.record.Door {
			names = append(names, w.Name)
		}
	}
	return names
}

// refusal returns the reason why a worker refuses a job, if it does.
func (w *Presence) refusal(job Record) (why string, ok bool) {
	for _, r := range w.Refuses {
		if r.Job == job.ID {
			return r.Why, true
		}
	}
	return "", false
}
