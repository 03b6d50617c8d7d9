package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"github.com/polydag/polydag/internal/work"
)

// These are the headers of an outcome. An outcome that is too large for a message is an object, and the message
// has its hash.
const (
	headerWorker = "Polydag-Worker"
	headerHash   = "Polydag-Sha256"
	headerObject = "Polydag-Object"
)

// roomForHeaders is the space for headers in a message, in bytes.
const roomForHeaders = 4 << 10

// putOutcome stores an outcome. It returns false if there already was one, which stays.
func (c *Client) putOutcome(ctx context.Context, job, unit, worker string, outcome []byte) (first bool, err error) {
	msg := nats.NewMsg(resultSubject(job, unit))
	msg.Header.Set(headerWorker, worker)
	msg.Header.Set(headerHash, work.Hash(outcome))
	msg.Data = outcome
	if int64(len(outcome)) > c.nc.MaxPayload()-roomForHeaders {
		msg.Data = nil
		msg.Header.Set(headerObject, "yes")
		blob := work.Blob{Size: int64(len(outcome)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(outcome)), nil }}
		if err := c.putObject(ctx, "storing the outcome", work.Hash(outcome), blob); err != nil {
			return false, err
		}
	}
	err = c.retry(ctx, "storing the outcome", func(ctx context.Context) error {
		_, err := c.js.PublishMsg(ctx, msg, js.WithExpectLastSequencePerSubject(0), js.WithRetryAttempts(0))
		if !there(err) {
			first = err == nil
			return err
		}
		if ok, err := c.hasOutcome(ctx, job, unit); err != nil || ok {
			first = false
			return err
		}
		return fmt.Errorf("%w: an outcome is on its way", nats.ErrTimeout)
	})
	return first, err
}

// hasOutcome asks the leader of the stream, so that the answer is current.
func (c *Client) hasOutcome(ctx context.Context, job, unit string) (bool, error) {
	_, err := c.lay.result.GetLastMsgForSubject(ctx, resultSubject(job, unit))
	if errors.Is(err, js.ErrMsgNotFound) {
		return false, nil
	}
	return err == nil, err
}

// outcomeOf reads a message and checks that it has the stored hash.
func (c *Client) outcomeOf(ctx context.Context, msg js.Msg) ([]byte, error) {
	want, data := msg.Headers().Get(headerHash), msg.Data()
	if msg.Headers().Get(headerObject) != "" {
		var err error
		if data, err = c.fetch(ctx, want, 0); err != nil {
			return nil, err
		}
	}
	if got := work.Hash(data); got != want {
		return nil, fmt.Errorf("the outcome %s from worker %.60q has the checksum %.12s and should have %.12s: it is damaged; delete the job and submit it again", msg.Subject(), msg.Headers().Get(headerWorker), got, want)
	}
	return data, nil
}
