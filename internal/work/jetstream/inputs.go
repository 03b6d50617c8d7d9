package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"

	js "github.com/nats-io/nats.go/jetstream"

	"github.com/polydag/polydag/internal/work"
)

// ship puts the inputs of a job that are not there yet into the object store, each under its hash.
func (c *Client) ship(ctx context.Context, job *work.Job) error {
	for hash, blob := range job.Blobs {
		err := c.retry(ctx, "shipping the input", func(context.Context) error { // as long as it takes, within the outer ctx
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
			_, err = c.lay.inputs.Put(ctx, js.ObjectMeta{Name: hash}, r)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fetch reads an input, at most so many bytes. Whoever asks checks the hash.
func (c *Client) fetch(ctx context.Context, hash string, most int64) (b []byte, err error) {
	err = c.retry(ctx, "fetching the input "+short(hash, 12), func(context.Context) error {
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
		if b, err = io.ReadAll(io.LimitReader(obj, limit+1)); err != nil {
			return err
		}
		if int64(len(b)) != limit {
			return fmt.Errorf("it has not the %d bytes that it is said to have: it is damaged", limit)
		}
		return nil
	})
	return b, err
}
