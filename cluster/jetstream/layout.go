package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	js "github.com/nats-io/nats.go/jetstream"
)

const (
	workStream    = "POLYDAG_WORK"
	resultStream  = "POLYDAG_RESULT"
	jobsBucket    = "polydag-jobs"
	troubleBucket = "polydag-trouble"
	workersBucket = "polydag-workers"
	inputsBucket  = "polydag-inputs"
)

// kept is how long the server stores outcomes and inputs that nobody deleted.
const kept = 14 * 24 * time.Hour

func workSubject(job, unit string) string   { return "polydag.work." + job + "." + unit }
func resultSubject(job, unit string) string { return "polydag.result." + job + "." + unit }

// unitOf returns the unit of a subject.
func unitOf(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

type layout struct {
	work, result           js.Stream
	jobs, trouble, workers js.KeyValue
	inputs                 js.ObjectStore
}

// prepare finds or creates the streams and buckets, with three copies in a cluster and one on a single server.
// Existing ones are used unchanged, because an administrator may have set other limits.
func (c *Client) prepare(ctx context.Context) error {
	copies := 1
	if c.nc.ConnectedClusterName() != "" {
		copies = 3
	}
	steps := []func(ctx context.Context) error{
		func(ctx context.Context) (err error) {
			c.lay.work, err = c.stream(ctx, js.StreamConfig{
				Name: workStream, Subjects: []string{"polydag.work.>"}, Retention: js.WorkQueuePolicy, Storage: js.FileStorage, Replicas: copies,
				MaxMsgsPerSubject: 1, Discard: js.DiscardNew, DiscardNewPerSubject: true, MaxAge: kept, Description: "units of work that wait",
			})
			return err
		},
		func(ctx context.Context) (err error) {
			c.lay.result, err = c.stream(ctx, js.StreamConfig{
				Name: resultStream, Subjects: []string{"polydag.result.>"}, Storage: js.FileStorage, Replicas: copies, AllowDirect: true,
				MaxMsgsPerSubject: 1, Discard: js.DiscardNew, DiscardNewPerSubject: true, MaxAge: kept, Description: "outcomes of units",
			})
			return err
		},
		func(ctx context.Context) (err error) {
			c.lay.jobs, err = c.bucket(ctx, js.KeyValueConfig{Bucket: jobsBucket, TTL: kept, Replicas: copies})
			return err
		},
		func(ctx context.Context) (err error) {
			c.lay.trouble, err = c.bucket(ctx, js.KeyValueConfig{Bucket: troubleBucket, TTL: kept, Replicas: copies})
			return err
		},
		func(ctx context.Context) (err error) {
			c.lay.workers, err = c.bucket(ctx, js.KeyValueConfig{Bucket: workersBucket, TTL: c.timing.Presence, Replicas: copies})
			return err
		},
		func(ctx context.Context) (err error) {
			if c.lay.inputs, err = c.js.ObjectStore(ctx, inputsBucket); !errors.Is(err, js.ErrBucketNotFound) {
				return err
			}
			c.lay.inputs, err = c.js.CreateObjectStore(ctx, js.ObjectStoreConfig{Bucket: inputsBucket, TTL: kept, Replicas: copies})
			return err
		},
	}
	if err := c.enabled(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, preparing, fmt.Errorf("the server did not make its streams in %s; a cluster needs three servers that see each other", preparing))
	defer cancel()
	for _, step := range steps {
		if err := c.retry(ctx, "making the streams", step); err != nil {
			return err
		}
	}
	return nil
}

// enabled checks that the server has JetStream. A server that has just started may need a moment.
func (c *Client) enabled(ctx context.Context) error {
	for begun := time.Now(); ; {
		_, err := c.js.AccountInfo(ctx)
		if !errors.Is(err, js.ErrJetStreamNotEnabled) || time.Since(begun) > 3*time.Second {
			if passing(err) && !errors.Is(err, js.ErrJetStreamNotEnabled) {
				return nil // the following steps wait for it
			}
			return err
		}
		if !sleep(ctx, 100*time.Millisecond) {
			return context.Cause(ctx)
		}
	}
}

// preparing is the time that the servers of a cluster have to find each other.
const preparing = 30 * time.Second

func (c *Client) stream(ctx context.Context, want js.StreamConfig) (js.Stream, error) {
	s, err := c.js.Stream(ctx, want.Name)
	if !errors.Is(err, js.ErrStreamNotFound) {
		return s, err
	}
	s, err = c.js.CreateStream(ctx, want)
	if errors.Is(err, js.ErrStreamNameAlreadyInUse) { // another client was faster, with other limits
		return c.js.Stream(ctx, want.Name)
	}
	return s, err
}

func (c *Client) bucket(ctx context.Context, want js.KeyValueConfig) (js.KeyValue, error) {
	kv, err := c.js.KeyValue(ctx, want.Bucket)
	if !errors.Is(err, js.ErrBucketNotFound) {
		return kv, err
	}
	kv, err = c.js.CreateKeyValue(ctx, want)
	if errors.Is(err, js.ErrBucketExists) {
		return c.js.KeyValue(ctx, want.Bucket)
	}
	return kv, err
}
