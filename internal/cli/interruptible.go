package cli

import (
	"context"
	"io"
	"sync"
)

// readerFunc is a reader that is a function.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// interruptible reads from a stream that may block for ever, such as a terminal or a pipe, and fails with the cause of ctx when
// that ends. The stream is read on a goroutine, which outlives the reader if the stream does not end, and not before the first
// read: a stream that is not asked for is left to others.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	from, to := io.Pipe()
	start := sync.OnceFunc(func() {
		stop := context.AfterFunc(ctx, func() { to.CloseWithError(context.Cause(ctx)) })
		go func() {
			defer stop()
			_, err := io.CopyBuffer(to, justRead{r}, make([]byte, 1<<18))
			to.CloseWithError(err) // nil is the end of the stream
		}()
	})
	return readerFunc(func(p []byte) (int, error) {
		start()
		return from.Read(p)
	})
}

// justRead hides what else a reader can do, so that it is copied block by block.
type justRead struct{ io.Reader }

// stopping fails with the cause of ctx once that has ended, before the next read of r.
func stopping(ctx context.Context, r io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return r.Read(p)
	})
}
