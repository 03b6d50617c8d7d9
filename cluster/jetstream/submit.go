package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"github.com/polydag/polydag/cluster/work"
)

// JobProgress counts the finished units of a submitted job.
type JobProgress struct {
	Job         string
	Done, Total int
	Workers     int // workers that can do this job
}

// A Submitter is a work.Runner on a server.
type Submitter struct {
	*Client
	// Progress is called for every outcome and every few seconds, from one goroutine at a time; it may be nil.
	Progress func(JobProgress)
}

type submission struct {
	*Submitter
	record Record
	job    *work.Job
	places map[string][]int // positions of each unit ID in the job
	have   map[string]bool  // units with a received outcome
	aside  map[string]Trouble
	each   func(int, []byte) error
	seen   int             // number of workers
	told   map[string]bool // messages already passed on
	last   time.Time
}

// Run submits the units that the server does not have, waits for all outcomes and passes each on once. It uses
// the outcomes of an earlier submission of the same job, but tries units that were set aside again.
func (s *Submitter) Run(ctx context.Context, job *work.Job, each func(i int, outcome []byte) error) error {
	record, err := recordOf(job, s.door)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	run := &submission{Submitter: s, record: record, job: job, places: map[string][]int{}, have: map[string]bool{}, aside: map[string]Trouble{}, told: map[string]bool{}, each: each, last: time.Now()}
	for i := range job.Units {
		id := job.Units[i].ID
		run.places[id] = append(run.places[id], i)
	}
	if err := run.announce(ctx); err != nil {
		return err
	}
	if err := run.collect(ctx); err != nil {
		return err
	}
	record.Done = true
	if err := s.putRecord(ctx, record); err != nil {
		return err
	}
	if err := s.closeQueue(ctx, record.ID); err != nil {
		return err
	}
	return run.failures()
}

// announce ships the inputs, opens the queue, stores the record and submits the units.
func (r *submission) announce(ctx context.Context) error {
	if err := r.ship(ctx, r.job); err != nil {
		return err
	}
	if err := r.forgive(ctx); err != nil {
		return err
	}
	if err := r.openQueue(ctx); err != nil {
		return err
	}
	if err := r.putRecord(ctx, r.record); err != nil {
		return err
	}
	_, err := r.submitMissing(ctx)
	return err
}

func consumerName(job string) string { return "job-" + job }

// openQueue creates the consumer from which workers take the units of this job. The server redelivers units
// without limit; workers count the deliveries and set a unit aside (see Worker).
func (r *submission) openQueue(ctx context.Context) error {
	return r.retry(ctx, "opening the queue", func(ctx context.Context) error {
		name := consumerName(r.record.ID)
		_, err := r.lay.work.CreateOrUpdateConsumer(ctx, js.ConsumerConfig{
			Durable: name, FilterSubject: workSubject(r.record.ID, "*"), AckPolicy: js.AckExplicitPolicy, AckWait: r.timing.Ack,
			MaxDeliver: -1, MaxAckPending: 1 << 16, MaxWaiting: 1 << 14,
		})
		if code(err) == codeConsumerCreate {
			// If one submitter deletes a queue while another opens it, the server fails every change of it. The
			// units are in the stream, so a new queue delivers them again.
			if gone := r.lay.work.DeleteConsumer(ctx, name); gone != nil && !errors.Is(gone, js.ErrConsumerNotFound) {
				return errors.Join(err, gone)
			}
		}
		return err
	})
}

// closeQueue ends the delivery of units of a job and removes the remaining ones.
func (c *Client) closeQueue(ctx context.Context, job string) error {
	return c.retry(ctx, "closing the queue", func(ctx context.Context) error {
		if err := c.lay.work.Purge(ctx, js.WithPurgeSubject(workSubject(job, "*"))); err != nil {
			return err
		}
		err := c.lay.work.DeleteConsumer(ctx, consumerName(job))
		if errors.Is(err, js.ErrConsumerNotFound) {
			return nil
		}
		return err
	})
}

// forgive resets the errors of an earlier submission.
func (r *submission) forgive(ctx context.Context) error {
	var keys []string
	err := r.retry(ctx, "looking for trouble", func(ctx context.Context) (err error) {
		keys, err = r.troubleKeys(ctx, r.record.ID)
		return err
	})
	for _, key := range keys {
		if err != nil {
			return err
		}
		_, unit, _ := strings.Cut(key, ".")
		// A unit that was not set aside may still be in the queue with its count of deliveries. Returned must
		// account for all of them. Otherwise the unit would seem to have ended its workers.
		_, err = r.changeTrouble(ctx, r.record.ID, unit, func(t *Trouble) {
			if t.Aside != "" {
				*t = Trouble{Job: t.Job, Unit: t.Unit}
				return
			}
			t.Returned += len(t.Errors)
			t.Errors, t.Declined = nil, nil
		})
	}
	return err
}

// troubleKeys lists the units with trouble of a job.
func (c *Client) troubleKeys(ctx context.Context, job string) (keys []string, err error) {
	err = c.entries(ctx, c.lay.trouble, job+".*", func(key string, _ []byte) { keys = append(keys, key) })
	return keys, err
}

// submitMissing publishes the units without an outcome that are neither in the queue nor set aside, and returns
// their number. It reads the queue first, because a worker removes a unit only after it stored the outcome or
// set the unit aside.
func (r *submission) submitMissing(ctx context.Context) (int, error) {
	known := map[string]bool{}
	for _, at := range []struct {
		stream  js.Stream
		subject string
	}{{r.lay.work, workSubject(r.record.ID, "*")}, {r.lay.result, resultSubject(r.record.ID, "*")}} {
		err := r.retry(ctx, "looking what is there", func(ctx context.Context) error {
			info, err := at.stream.Info(ctx, js.WithSubjectFilter(at.subject))
			if err != nil {
				return err
			}
			for subject := range info.State.Subjects {
				known[unitOf(subject)] = true
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	err := r.retry(ctx, "looking for trouble", func(ctx context.Context) error { return r.troubles(ctx, func(Trouble) {}) })
	if err != nil {
		return 0, err
	}
	for id := range r.aside {
		known[id] = true
	}
	for id := range r.have {
		known[id] = true
	}
	var todo []*work.Unit
	for i := range r.job.Units {
		if u := &r.job.Units[i]; !known[u.ID] {
			known[u.ID] = true
			todo = append(todo, u)
		}
	}
	return len(todo), r.publish(ctx, todo)
}

// batch is the number of units published at a time.
const batch = 200

// publish puts units into the queue and waits for the confirmation of the server.
func (r *submission) publish(ctx context.Context, units []*work.Unit) error {
	for len(units) > 0 {
		now := units[:min(batch, len(units))]
		units = units[len(now):]
		err := r.retry(ctx, "submitting", func(ctx context.Context) error {
			var left []*work.Unit
			var fault error
			acks := make([]js.PubAckFuture, len(now))
			for i, u := range now {
				text, err := u.Encode()
				if err != nil {
					return err
				}
				if int64(len(text)) > r.nc.MaxPayload()-roomForHeaders {
					return fmt.Errorf("unit %s has %d bytes and the server takes %d; raise its max_payload", u.ID, len(text), r.nc.MaxPayload())
				}
				acks[i], err = r.js.PublishMsgAsync(&nats.Msg{Subject: workSubject(r.record.ID, u.ID), Data: text}, js.WithExpectLastSequencePerSubject(0))
				if err != nil {
					fault, left = err, append(left, u)
				}
			}
			for i, ack := range acks {
				if ack == nil {
					continue
				}
				select {
				case <-ack.Ok():
				case err := <-ack.Err():
					if !there(err) {
						fault, left = err, append(left, now[i])
					}
				case <-ctx.Done():
					fault, left = ctx.Err(), append(left, now[i])
				}
			}
			now = left
			return fault
		})
		if err != nil {
			return err
		}
	}
	return nil
}
