package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	js "github.com/nats-io/nats.go/jetstream"
)

// A Status is the status of a job in a list.
type Status struct {
	Record
	Outcomes int       `json:"outcomes"` // stored outcomes
	Waiting  int       `json:"waiting"`  // units in the queue
	Running  int       `json:"running"`  // units in progress
	Trouble  []Trouble `json:"trouble,omitempty"`
}

// A Listing is the state of the server at one moment.
type Listing struct {
	Jobs    []Status   `json:"jobs"`
	Workers []Presence `json:"workers"`
}

// List lists jobs and workers.
func (c *Client) List(ctx context.Context) (*Listing, error) {
	out := &Listing{Jobs: []Status{}, Workers: []Presence{}}
	err := c.retry(ctx, "listing the jobs", func(ctx context.Context) error {
		records, _, err := c.records(ctx)
		if err != nil {
			return err
		}
		workers, err := c.listWorkers(ctx)
		if err != nil {
			return err
		}
		out.Jobs, out.Workers = out.Jobs[:0], append(out.Workers[:0], workers...)
		for _, r := range records {
			s, err := c.status(ctx, r)
			if err != nil {
				return err
			}
			out.Jobs = append(out.Jobs, s)
		}
		return nil
	})
	return out, err
}

func (c *Client) status(ctx context.Context, r Record) (Status, error) {
	s := Status{Record: r}
	var err error
	if s.Outcomes, err = c.count(ctx, r.ID); err != nil {
		return s, err
	}
	queue, err := c.lay.work.Consumer(ctx, consumerName(r.ID))
	switch {
	case errors.Is(err, js.ErrConsumerNotFound):
	case err != nil:
		return s, err
	default:
		info := queue.CachedInfo()
		s.Waiting, s.Running = int(info.NumPending), info.NumAckPending
	}
	err = c.entries(ctx, c.lay.trouble, r.ID+".*", func(_ string, value []byte) {
		var t Trouble
		if json.Unmarshal(value, &t) == nil && (t.Aside != "" || len(t.Errors) > 0 || len(t.Declined) > 0) {
			s.Trouble = append(s.Trouble, t)
		}
	})
	slices.SortFunc(s.Trouble, func(a, b Trouble) int { return strings.Compare(a.Unit, b.Unit) })
	return s, err
}

// count returns the number of outcomes of a job. It uses a temporary consumer, so that the server counts
// without sending.
func (c *Client) count(ctx context.Context, job string) (int, error) {
	consumer, err := c.lay.result.CreateConsumer(ctx, js.ConsumerConfig{FilterSubject: resultSubject(job, "*"), AckPolicy: js.AckNonePolicy, HeadersOnly: true, MemoryStorage: true, Replicas: 1})
	if err != nil {
		return 0, err
	}
	info := consumer.CachedInfo()
	return int(info.NumPending), c.lay.result.DeleteConsumer(ctx, info.Name)
}

// Delete removes a job and its data from the server, except inputs, which other jobs may share and which
// expire. A waiting submitter submits it again.
func (c *Client) Delete(ctx context.Context, job string) error {
	if !idForm.MatchString(job) {
		return fmt.Errorf("%.40q is not a job; polydag jobs lists the names", job)
	}
	return c.retry(ctx, "deleting the job", func(ctx context.Context) error {
		if _, err := c.lay.jobs.Get(ctx, job); errors.Is(err, js.ErrKeyNotFound) {
			return fmt.Errorf("there is no job %s; polydag jobs lists the names", job)
		} else if err != nil {
			return err
		}
		if err := c.closeQueue(ctx, job); err != nil {
			return err
		}
		if err := c.lay.result.Purge(ctx, js.WithPurgeSubject(resultSubject(job, "*"))); err != nil {
			return err
		}
		keys, err := c.troubleKeys(ctx, job)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := c.lay.trouble.Purge(ctx, key); err != nil {
				return err
			}
		}
		return c.lay.jobs.Purge(ctx, job)
	})
}
