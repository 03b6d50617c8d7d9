// Package parallel runs loops whose turns do not depend on each other on several goroutines:
//
//	parallel.For(len(columns), 4, func(j int) { sums[j] = sum(columns[j]) })
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// For calls f(0), …, f(n-1), each once, on at most the given number of goroutines. The result of f must depend only on its argument.
func For(n, threads int, f func(i int)) {
	Each(context.Background(), n, threads, func(int) func(int) { return f })
}

// Each is For with a function for each goroutine, which start returns, so that a goroutine can have buffers of its own. start is called in
// that goroutine with the numbers from 0. When ctx ends, the turns that are under way end, and no other begins.
func Each(ctx context.Context, n, threads int, start func(worker int) func(i int)) {
	var next atomic.Int64
	run := func(worker int) {
		f := start(worker)
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			f(i)
		}
	}
	if n < 1 {
		return
	}
	var group sync.WaitGroup
	for worker := 1; worker < min(threads, n); worker++ {
		group.Go(func() { run(worker) })
	}
	run(0)
	group.Wait()
}
