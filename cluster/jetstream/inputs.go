package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"github.com/polydag/polydag/cluster/work"
)

// ship stores the missing inputs of a job in the object store, each under its hash.
func (c *Client) ship(ctx context.Context, job *work.Job) error {
	for hash, blob := range job.Blobs {
		if err := c.putObject(ctx, "shipping the input", hash, blob); err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) putObject(ctx context.Context, what, hash string, blob work.Blob) error {
	return c.retryMoving(ctx, what, func(ctx context.Context, moves func(io.Reader) io.Reader) error {
		info, err := c.lay.inputs.GetInfo(ctx, hash)
		if err == nil && info.Size == uint64(blob.Size) {
			return nil
		}
		if err != nil && !errors.Is(err, js.ErrObjectNotFound) {
			return err
		}
		r, err := blob.Open()
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = c.lay.inputs.Put(ctx, js.ObjectMeta{Name: hash}, moves(r))
		return err
	})
}

// fetch reads an object of at most the given size. The caller checks the hash.
func (c *Client) fetch(ctx context.Context, hash string, most int64) (b []byte, err error) {
	err = c.retryMoving(ctx, "fetching the input "+short(hash, 12), func(ctx context.Context, moves func(io.Reader) io.Reader) error {
		// Without a deadline, the library uses a few seconds for the whole object.
		ctx, cancel := context.WithTimeout(ctx, 24*time.Hour)
		defer cancel()
		obj, err := c.lay.inputs.Get(ctx, hash)
		if errors.Is(err, js.ErrObjectNotFound) {
			return fmt.Errorf("%w: the server has it no more, or never had it", err)
		}
		if err != nil {
			return err
		}
		defer obj.Close()
		info, err := obj.Info()
		if err != nil {
			return err
		}
		if most > 0 && info.Size > uint64(most) {
			return fmt.Errorf("it has %d bytes and at most %d are taken here", info.Size, most)
		}
		limit := int64(info.Size)
		whole := bytes.NewBuffer(make([]byte, 0, min(limit+bytes.MinRead, trusted)))
		if _, err = whole.ReadFrom(io.LimitReader(moves(obj), limit+1)); err != nil {
			return err
		}
		if b = whole.Bytes(); int64(len(b)) != limit {
			return fmt.Errorf("it has not the %d bytes that it is said to have: it is damaged", limit)
		}
		return nil
	})
	return b, err
}

// trusted is the most memory allocated for the announced size of an object before data arrives.
const trusted = 256 << 20

// retryMoving is retry for long transfers. An attempt ends only when its reader has made no progress for too
// long, because a dying server does not report it.
func (c *Client) retryMoving(ctx context.Context, what string, do func(ctx context.Context, moves func(io.Reader) io.Reader) error) error {
	return c.retry(ctx, what, func(context.Context) error {
		inner, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		still := time.AfterFunc(3*answer, func() { cancel(errStill) })
		defer still.Stop()
		err := do(inner, func(r io.Reader) io.Reader { return mover{r, still} })
		if err != nil && errors.Is(context.Cause(inner), errStill) {
			return errStill
		}
		return err
	})
}

var errStill = fmt.Errorf("%w: nothing moves", nats.ErrTimeout)

// mover resets the timer at every read.
type mover struct {
	io.Reader
	still *time.Timer
}

func (m mover) Read(p []byte) (int, error) {
	m.still.Reset(3 * answer)
	return m.Reader.Read(p)
}
