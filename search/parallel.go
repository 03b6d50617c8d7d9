package search

import (
	"runtime"
	"sync/atomic"
)

// batchSize is the number of variables that descend evaluates together. It limits the useful threads; a larger batch wastes scans
// if moves are frequent.
const batchSize = 32

// patience is how often an idle helper polls for work before it sleeps, some tenths of a millisecond. The serial parts of a search
// are shorter, and on some machines waking a thread takes longer than a whole batch.
const patience = 20000

// pool runs loops on helpers besides the calling goroutine. Its zero value has none.
type pool struct {
	helpers []*helper

	turn   atomic.Uint64 // counts the loops
	f      func(w *worker, i int)
	n      int64
	next   atomic.Int64
	busy   atomic.Int64 // helpers still in the present loop
	closed bool
}

type helper struct {
	w      *worker
	asleep atomic.Bool
	wake   chan struct{}
}

// start starts a helper for each worker.
func (p *pool) start(workers []*worker) {
	for _, w := range workers {
		h := &helper{w: w, wake: make(chan struct{}, 1)}
		p.helpers = append(p.helpers, h)
		go p.serve(h)
	}
}

// stop ends the helpers.
func (p *pool) stop() {
	p.closed = true
	p.release()
}

// serve runs a helper, which takes part in every loop.
func (p *pool) serve(h *helper) {
	for seen := uint64(0); ; {
		for look := 0; p.turn.Load() == seen; look++ {
			if look < patience {
				if look%64 == 63 {
					runtime.Gosched()
				}
				continue
			}
			h.asleep.Store(true)
			if p.turn.Load() != seen && h.asleep.CompareAndSwap(true, false) {
				break
			}
			<-h.wake
		}
		seen++
		if p.closed {
			return
		}
		p.work(h.w)
		p.busy.Add(-1)
	}
}

// release starts a new loop on the helpers.
func (p *pool) release() {
	p.busy.Store(int64(len(p.helpers)))
	p.turn.Add(1)
	for _, h := range p.helpers {
		if h.asleep.CompareAndSwap(true, false) {
			h.wake <- struct{}{}
		}
	}
}

func (p *pool) work(w *worker) {
	for {
		i := p.next.Add(1) - 1
		if i >= p.n {
			return
		}
		p.f(w, int(i))
	}
}

// parallel calls f once for each of 0..n-1 on all workers. The result of f must not depend on its worker or on other calls.
func (e *engine) parallel(n int, f func(w *worker, i int)) {
	p := &e.pool
	if len(p.helpers) == 0 || n < 2 {
		for i := range n {
			f(e.workers[0], i)
		}
		return
	}
	p.f, p.n = f, int64(n)
	p.next.Store(0)
	p.release()
	p.work(e.workers[0])
	for look := 1; p.busy.Load() > 0; look++ {
		if look%64 == 0 {
			runtime.Gosched()
		}
	}
	p.f = nil
}
