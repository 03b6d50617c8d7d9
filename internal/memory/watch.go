package memory

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// These are the times between two looks at the heap, and the share of the limit above which work is ended.
const (
	look    = 5 * time.Millisecond
	pause   = 200 * time.Millisecond // after exceeded was called, so that work can end
	tooMuch = 1.1
)

// Watch keeps the heap within limit bytes above its present size, as far as garbage collection can. It calls exceeded with the size when
// the heap is larger, because no estimate covers everything. It returns when ctx ends.
func Watch(ctx context.Context, limit int64, exceeded func(used int64)) {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	size := func() int64 {
		metrics.Read(heap)
		return int64(heap[0].Value.Uint64())
	}
	base := size()
	collect := limit + int64(heap[1].Value.Uint64()-heap[2].Value.Uint64())
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(collect))
	most := int64(tooMuch * float64(limit))
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		used := size() - base
		if used > most && used <= 2*limit { // a single large array is not garbage
			runtime.GC()
			used = size() - base
		}
		if used > most {
			exceeded(used)
			time.Sleep(pause)
			runtime.GC()
		}
	}
}
