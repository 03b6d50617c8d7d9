package gemm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestShare checks that every part runs once and has ended when Share returns, for any numbers, with several
// callers, and with nested calls.
func TestShare(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	check := func(threads, parts int) {
		ran := make([]atomic.Int32, parts)
		Share(threads, parts, func(i int) { ran[i].Add(1) })
		for i := range ran {
			if n := ran[i].Load(); n != 1 {
				t.Errorf("%d threads, %d parts: part %d ran %d times", threads, parts, i, n)
			}
		}
	}
	for _, threads := range []int{0, 1, 2, 3, 200} {
		for _, parts := range []int{0, 1, 2, 5, 64, mostParts + 3} {
			check(threads, parts)
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 300 {
				check(3, 4)
			}
		})
	}
	wg.Wait()
	Share(2, 2, func(int) { check(2, 7) })
	for range 2000 { // helpers that end and begin between two calls
		check(2, 2)
		if runtime.NumGoroutine() > 200 {
			t.Fatalf("%d goroutines", runtime.NumGoroutine())
		}
	}
}

// TestShareKeepsToItsThreads checks that at most the requested threads are used.
func TestShareKeepsToItsThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(6))
	Share(5, 5, func(int) { time.Sleep(time.Millisecond) }) // wakes four helpers
	var now, most atomic.Int32
	for range 50 {
		Share(2, 20, func(int) {
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(20 * time.Microsecond)
			now.Add(-1)
		})
	}
	if most.Load() > 2 {
		t.Errorf("%d parts ran at once on two threads", most.Load())
	}
	until := time.Now().Add(20 * time.Second)
	for awake() > 0 {
		if time.Now().After(until) {
			t.Fatalf("%d helpers are still awake", awake())
		}
		time.Sleep(time.Millisecond)
	}
}

// TestBeside checks that both functions run once and have ended when Beside returns, also if main shares, with
// several callers, and with one processor.
func TestBeside(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	check := func() {
		var side, main, parts atomic.Int32
		Beside(func() { side.Add(1) }, func() {
			main.Add(1)
			Share(2, 9, func(int) { parts.Add(1) })
		})
		if side.Load() != 1 || main.Load() != 1 || parts.Load() != 9 {
			t.Errorf("side ran %d times, main %d, %d of 9 parts", side.Load(), main.Load(), parts.Load())
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				check()
			}
		})
	}
	wg.Wait()
	runtime.GOMAXPROCS(1)
	check()
}

func awake() int {
	n := 0
	for i := range helpers.awake {
		if helpers.awake[i].Load() {
			n++
		}
	}
	return n
}

// BenchmarkShare measures the overhead of handing over two parts: go test ./internal/gemm -bench Share.
func BenchmarkShare(b *testing.B) {
	for b.Loop() {
		Share(2, 2, func(int) {})
	}
}

// TestStretches checks that blocks of at most Stretch entries cover a pass once, in order of their index, and that Sum adds their values.
func TestStretches(t *testing.T) {
	for _, n := range []int{0, 1, Stretch - 1, Stretch, Stretch + 1, 2 * Stretch, 70*Stretch + 5, 96 * Stretch} {
		for _, threads := range []int{1, 3} {
			blocks := make([]atomic.Int32, (n+Stretch-1)/Stretch)
			Stretches(threads, n, func(i, lo, hi int) {
				if i >= len(blocks) || lo != i*Stretch || hi != min(lo+Stretch, n) {
					t.Errorf("%d entries: block %d from %d to %d", n, i, lo, hi)
					return
				}
				blocks[i].Add(1)
			})
			for i := range blocks {
				if got := blocks[i].Load(); got != 1 {
					t.Errorf("%d entries on %d threads: block %d ran %d times", n, threads, i, got)
				}
			}
			if got := Sum(threads, n, func(lo, hi int) float64 { return float64(hi - lo) }); got != float64(n) {
				t.Errorf("%d entries on %d threads: blocks of %v entries", n, threads, got)
			}
		}
	}
}
