package cli

import (
	"context"
	"io"
)

// interruptible reads from a stream that may block for ever, such as a terminal or a pipe, and returns when the context ends.
type interruptible struct {
	ctx    context.Context
	blocks chan block
	rest   []byte
	err    error
}

type block struct {
	data []byte
	err  error
}

// newInterruptible reads ahead, one block at a time, on a goroutine that outlives the reader if the stream does not end.
func newInterruptible(ctx context.Context, r io.Reader) *interruptible {
	in := &interruptible{ctx: ctx, blocks: make(chan block)}
	go func() {
		defer close(in.blocks)
		for {
			buf := make([]byte, 1<<18)
			n, err := r.Read(buf)
			select {
			case in.blocks <- block{buf[:n], err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return in
}

func (in *interruptible) Read(p []byte) (int, error) {
	for len(in.rest) == 0 {
		if in.err != nil {
			return 0, in.err
		}
		select {
		case b, ok := <-in.blocks:
			if !ok {
				in.err = io.EOF
				continue
			}
			in.rest, in.err = b.data, b.err
		case <-in.ctx.Done():
			in.err = context.Cause(in.ctx)
		}
	}
	n := copy(p, in.rest)
	in.rest = in.rest[n:]
	return n, nil
}
