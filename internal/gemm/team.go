package gemm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Share calls run(0), …, run(parts-1), each once, on at most the given number of threads including the
// caller's, and returns when all have ended. Results must not depend on the thread or the order.
//
// A solver step has a product every few dozen microseconds, and waking a thread takes about half as long. So
// helpers stay awake for a while after their part. They take parts one by one, as the caller does. If a helper
// is late, the caller does its part. Handing over costs some hundred nanoseconds, and the caller waits once, at
// the end. An idle helper ends after lingering. The caller takes parts from the front and helpers from the
// back, so that each thread finds most of its data in its own cache in repeated calls.
func Share(threads, parts int, run func(part int)) {
	ShareBy(threads, parts, func(_, part int) { run(part) })
}

// ShareBy is Share and passes the worker index, 0 … threads-1, to run. Concurrent parts have different workers,
// so that each may have its own memory.
func ShareBy(threads, parts int, run func(worker, part int)) {
	threads = min(threads, parts, mostHelpers+1, runtime.GOMAXPROCS(0))
	if threads <= 1 {
		for i := range parts {
			run(0, i)
		}
		return
	}
	if !helpers.busy.CompareAndSwap(false, true) { // another caller already uses the processors
		apart(threads, parts, run)
		return
	}
	helpers.share(threads, parts, run)
	helpers.busy.Store(false)
}

// lingering is the time that a helper waits for the next part: longer than the gap between two products of a
// step at d = 500.
const lingering = 200 * time.Microsecond

// mostHelpers limits the helpers and mostParts the parts of one call, because both are packed in one word.
const (
	mostHelpers = 63
	mostParts   = 1<<16 - 1
)

// helpers is the team of the process. It does not affect results.
var helpers team

// team is a caller with the awake helpers.
type team struct {
	busy  atomic.Bool
	epoch uint64                 // number of calls so far
	task  func(worker, part int) // function of this epoch
	awake [mostHelpers]atomic.Bool
	side  atomic.Pointer[sideJob] // job of Beside

	_    [64]byte // the two fields below are written by all threads, so they have their own cache lines
	word atomic.Uint64
	_    [64]byte
	done atomic.Int32 // number of finished parts
	_    [64]byte
}

// word packs, from the highest bits on, the epoch (24 bits), the number of helpers (8), the end of the
// remaining parts (16) and the first of them (16). The caller takes the first part by incrementing the start, a
// helper the last by decrementing the end. The epoch prevents a late helper from using the word of another
// call.
func word(epoch uint64, helpers, parts int) uint64 {
	return epoch<<40 | uint64(helpers)<<32 | uint64(parts)<<16
}

// share is Share with this team.
func (t *team) share(threads, parts int, run func(worker, part int)) {
	for first := 0; first < parts; first += mostParts { // one round, unless there are very many parts
		n := min(parts-first, mostParts)
		t.task = run
		if first > 0 {
			t.task = func(worker, part int) { run(worker, first+part) }
		}
		t.done.Store(0)
		t.epoch++
		t.word.Store(word(t.epoch, threads-1, n))
		for i := range threads - 1 {
			if t.awake[i].CompareAndSwap(false, true) {
				go t.help(i)
			}
		}
		for t.work(-1) {
		}
		for spins := 1; t.done.Load() != int32(n); spins++ {
			pause()
			if spins%1024 == 0 {
				runtime.Gosched()
			}
		}
	}
	t.task = nil
}

// work does one part if there is one for helper i; the caller is -1. It reports whether to try again.
func (t *team) work(i int) bool {
	w := t.word.Load()
	first, end, allowed := int(w&0xffff), int(w>>16&0xffff), int(w>>32&0xff)
	if first >= end || i >= allowed {
		return false
	}
	part, taken := first, w+1
	if i >= 0 {
		part, taken = end-1, w-1<<16
	}
	if t.word.CompareAndSwap(w, taken) {
		t.task(i+1, part) // does not change until this part has ended
		t.done.Add(1)
	}
	return true
}

// help runs helper i until it was idle for lingering.
func (t *team) help(i int) {
	idle := time.Now()
	for spins := 1; ; spins++ {
		if t.work(i) || t.side.Load().do() {
			spins = 0
			continue
		}
		pause()
		if spins%64 != 0 {
			continue
		}
		runtime.Gosched()
		if spins == 64 {
			idle = time.Now()
		} else if time.Since(idle) > lingering {
			t.awake[i].Store(false)
			return
		}
	}
}

func apart(threads, parts int, run func(worker, part int)) {
	var next atomic.Int64
	work := func(worker int) {
		for {
			i := int(next.Add(1)) - 1
			if i >= parts {
				return
			}
			run(worker, i)
		}
	}
	var wg sync.WaitGroup
	for i := range threads - 1 {
		wg.Go(func() { work(i + 1) })
	}
	work(0)
	wg.Wait()
}
