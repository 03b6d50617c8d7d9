package gemm

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Share calls run(0), …, run(parts-1), each once, on at most the given number of threads, the caller's among them, and returns when
// all have ended. Nobody is to depend on who runs which part, or in which order.
//
// A step of a solver has a product every few dozen microseconds, and waking a sleeping thread takes as long as the half of one. So helpers
// that have done their part stay awake for a while and look for the next. They take parts one by one, as the caller does:
// where a helper is late, because the machine is busy or because it had gone to sleep, the caller finds the part still there and
// does it itself. Handing over costs some hundred nanoseconds; the caller waits once, at the end. A helper that found nothing to do for
// lingering ends. The caller takes parts from the first on, helpers from the last on: where calls have parts that belong to the same
// data, each thread finds most of its data in its own cache.
func Share(threads, parts int, run func(part int)) {
	ShareBy(threads, parts, func(_, part int) { run(part) })
}

// ShareBy is Share, and tells run which worker it is, 0 … threads-1: two parts that run at the same time have different workers, so that
// each may have memory of its own.
func ShareBy(threads, parts int, run func(worker, part int)) {
	threads = min(threads, parts, mostHelpers+1, runtime.GOMAXPROCS(0))
	if threads <= 1 {
		for i := range parts {
			run(0, i)
		}
		return
	}
	if !helpers.busy.CompareAndSwap(false, true) { // somebody else's, who has the processors already
		apart(threads, parts, run)
		return
	}
	helpers.share(threads, parts, run)
	helpers.busy.Store(false)
}

// lingering is how long a helper waits for the next part: longer than what lies between two products of a step at d = 500.
const lingering = 200 * time.Microsecond

// mostHelpers bounds the helpers, and mostParts the parts of one call: both are in one word.
const (
	mostHelpers = 63
	mostParts   = 1<<16 - 1
)

// helpers is the one team of the process. It changes no result: only who computes it.
var helpers team

// team is a caller with the helpers that are awake.
type team struct {
	busy  atomic.Bool
	epoch uint64                 // calls so far; of the caller
	task  func(worker, part int) // of this epoch
	awake [mostHelpers]atomic.Bool
	side  atomic.Pointer[sideJob] // of Beside

	_    [64]byte // the two below are written by everybody: on lines of their own
	word atomic.Uint64
	_    [64]byte
	done atomic.Int32 // parts that have ended
	_    [64]byte
}

// A word is, from the highest bits on, the epoch (24 bits), how many helpers may work (8), the end of the parts that are left (16) and
// the first of them (16). The caller takes the first by adding one to it, a helper the last by taking one from the end. The epoch
// keeps a helper that was asleep from taking the word of one call for that of another.
func word(epoch uint64, helpers, parts int) uint64 {
	return epoch<<40 | uint64(helpers)<<32 | uint64(parts)<<16
}

// share is Share with the team at hand.
func (t *team) share(threads, parts int, run func(worker, part int)) {
	for first := 0; first < parts; first += mostParts { // one round, unless there are very many
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

// work does one part, if there is one for helper i; the caller is -1. It reports whether to look again.
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
		t.task(i+1, part) // stays as it is until this part has ended
		t.done.Add(1)
	}
	return true
}

// help runs helper i: it works while there is something to do and ends when there was nothing for lingering.
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
