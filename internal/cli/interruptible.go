package cli

import (
	"context"
	"io"
)

// interruptible reads from a stream that may block for ever, such as a terminal or a pipe, and returns when the context ends.
type interruptible struct {
	ctx    context.Context
	r      io.Reader
	blocks chan block // nil until the first Read: a stream that is not asked for is left to others
	rest   []byte
	err    error
}

type block struct {
	data []byte
	err  error
}

func newInterruptible(ctx context.Context, r io.Reader) *interruptible {
	return &interruptible{ctx: ctx, r: r}
}

// ahead reads ahead, one block at a time, on a goroutine that outlives the reader if the stream does not end.
func (in *interruptible) ahead() {
	defer close(in.blocks)
	for {
		buf := make([]byte, 1<<18)
		n, err := in.r.Read(buf)
		select {
		case in.blocks <- block{buf[:n], err}:
		case <-in.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (in *interruptible) Read(p []byte) (int, error) {
	if in.blocks == nil {
		in.blocks = make(chan block)
		go in.ahead()
	}
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
