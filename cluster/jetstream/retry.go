package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
)

// These are error codes of the server without a name in the client library.
const (
	codeStorage        js.ErrorCode = 10023 // insufficient resources
	codeStorageFull    js.ErrorCode = 10047 // insufficient storage resources
	codeStoreFailed    js.ErrorCode = 10077 // the store failed; the text has the reason
	codeConsumerCreate js.ErrorCode = 10012 // the server could not store a consumer; the text has the reason
	codeNotAvailable   js.ErrorCode = 10008 // no leader at the moment
	codeNotLeader      js.ErrorCode = 10009
	codePeers          js.ErrorCode = 10005 // not enough servers yet
	codeStreamOffline  js.ErrorCode = 10118
)

// refusal returns the status and the code of an error of the server, or zeros for other errors. The library has
// two types for it; watches of buckets use the older one.
func refusal(err error) (status int, code js.ErrorCode) {
	var e *js.APIError
	if errors.As(err, &e) {
		return e.Code, e.ErrorCode
	}
	var je js.JetStreamError
	if errors.As(err, &je) && je.APIError() != nil {
		return je.APIError().Code, je.APIError().ErrorCode
	}
	var old *nats.APIError
	if errors.As(err, &old) {
		return old.Code, js.ErrorCode(old.ErrorCode)
	}
	return 0, 0
}

func code(err error) js.ErrorCode {
	_, c := refusal(err)
	return c
}

// full reports whether the server has no space.
func full(err error) bool {
	c := code(err)
	return c == codeStorage || c == codeStorageFull || c == codeStoreFailed && !there(err)
}

// there reports whether the server already has a message with that subject.
func there(err error) bool {
	c := code(err)
	return c == js.JSErrCodeStreamWrongLastSequence || c == js.JSErrCodeStreamWrongLastSequenceConstant ||
		c == codeStoreFailed && strings.Contains(err.Error(), "per subject")
}

// passing reports whether the same request may succeed later: the server is starting, stopping, being replaced,
// or full.
func passing(err error) bool {
	switch {
	case err == nil:
		return false
	case full(err):
		return true
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, nats.ErrNoResponders), errors.Is(err, js.ErrNoStreamResponse),
		errors.Is(err, nats.ErrDisconnected), errors.Is(err, nats.ErrConnectionReconnecting), errors.Is(err, nats.ErrStaleConnection), errors.Is(err, nats.ErrReconnectBufExceeded),
		errors.Is(err, js.ErrNoHeartbeat), errors.Is(err, js.ErrConsumerLeadershipChanged), errors.Is(err, js.ErrServerShutdown), errors.Is(err, js.ErrConnectionClosed) && !errors.Is(err, nats.ErrConnectionClosed),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, js.ErrAsyncPublishTimeout),
		errors.Is(err, js.ErrJetStreamNotEnabled): // the server had it when the client connected
		return true
	}
	status, c := refusal(err)
	return status >= 500 || c == codeNotAvailable || c == codeNotLeader || c == codePeers || c == codeStreamOffline
}

// retry calls do until it succeeds, fails permanently, or ctx ends. It reports when it has to wait for the
// server.
func (c *Client) retry(ctx context.Context, what string, do func(ctx context.Context) error) error {
	pause, begun, said := 50*time.Millisecond, time.Now(), false
	for {
		bounded, cancel := context.WithTimeout(ctx, answer)
		err := do(bounded)
		cancel()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil:
			if said {
				c.logf("the server answers again")
			}
			return nil
		case !passing(err):
			return fmt.Errorf("%s: %w", what, err)
		case full(err) && !said:
			said = true
			c.logf("%s: the server has no room (%v); make room on its disk, raise its limit or delete old jobs: this goes on by itself", what, err)
		case time.Since(begun) > 2*answer && !said:
			said = true
			c.logf("%s: the server does not answer (%v); this goes on by itself", what, err)
		}
		if !sleep(ctx, pause) {
			return context.Cause(ctx)
		}
		pause = min(2*pause, c.timing.RetryMost)
	}
}

// sleep returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
