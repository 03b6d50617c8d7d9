package parallel

import (
	"context"
	"time"
)

// Within runs work, which may ignore ctx. When ctx ends it waits at most this long for the work and then returns the cause.
func Within[V any](ctx context.Context, grace time.Duration, work func() (V, error)) (v V, err error) {
	type answer struct {
		v   V
		err error
	}
	done := make(chan answer, 1)
	go func() {
		v, err := work()
		done <- answer{v, err}
	}()
	select {
	case a := <-done:
		return a.v, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-done:
		return a.v, a.err
	case <-time.After(grace):
		return v, context.Cause(ctx)
	}
}
