package command

import (
	"context"
	"io"
	"sync"
)

// readerFunc is a function that implements io.Reader.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// interruptible reads from a stream that may block forever, such as a terminal or a pipe, and fails with the
// cause of ctx when ctx ends. A goroutine reads the stream, starting with the first read. It outlives the
// reader if the stream does not end.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	from, to := io.Pipe()
	start := sync.OnceFunc(func() {
		stop := context.AfterFunc(ctx, func() { to.CloseWithError(context.Cause(ctx)) })
		go func() {
			defer stop()
			_, err := io.CopyBuffer(to, justRead{r}, make([]byte, 1<<18))
			to.CloseWithError(err) // nil means the end of the stream
		}()
	})
	return readerFunc(func(p []byte) (int, error) {
		start()
		return from.Read(p)
	})
}

// justRead hides other methods of a reader, so that io.Copy uses Read.
type justRead struct{ io.Reader }

// stopping fails with the cause of ctx before the next read after ctx has ended.
func stopping(ctx context.Context, r io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return r.Read(p)
	})
}
