package parallel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// Every turn is taken once, on no more goroutines than there are turns.
func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 7, 1000} {
		for _, threads := range []int{0, 1, 3, 16} {
			times := make([]atomic.Int32, n)
			var workers atomic.Int32
			Each(context.Background(), n, threads, func(worker int) func(int) {
				if workers.Add(1); worker >= max(1, min(n, threads)) {
					t.Errorf("%d turns, %d threads: worker %d", n, threads, worker)
				}
				return func(i int) { times[i].Add(1) }
			})
			for i := range times {
				if k := times[i].Load(); k != 1 {
					t.Fatalf("%d turns, %d threads: turn %d is taken %d times", n, threads, i, k)
				}
			}
			if want := int32(min(n, max(1, threads))); workers.Load() != want {
				t.Errorf("%d turns, %d threads: %d workers", n, threads, workers.Load())
			}
		}
	}
}

// After the end of the context no turn begins.
func TestEachStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	taken := 0
	Each(ctx, 100, 1, func(int) func(int) {
		return func(i int) {
			if taken++; i == 4 {
				cancel()
			}
		}
	})
	if taken != 5 {
		t.Errorf("%d turns", taken)
	}
}

// TestWithin checks that the answer of work counts even after the end of the context, and that stuck work is abandoned.
func TestWithin(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	own, late, stuck := errors.New("own"), errors.New("late"), make(chan struct{})
	defer close(stuck)
	if v, err := Within(ctx, 0, func() (int, error) { return 3, own }); v != 3 || err != own {
		t.Errorf("%d, %v", v, err)
	}
	if v, err := Within(ctx, time.Minute, func() (int, error) { cancel(late); return 4, nil }); v != 4 || err != nil {
		t.Errorf("%d, %v after the end", v, err)
	}
	if v, err := Within(ctx, 0, func() (int, error) { <-stuck; return 5, nil }); v != 0 || err != late {
		t.Errorf("%d, %v of stuck work", v, err)
	}
}
