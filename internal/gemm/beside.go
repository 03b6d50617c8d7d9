package gemm

import (
	"runtime"
	"sync/atomic"
)

// Beside runs side and main concurrently, main on the calling thread, and returns when both have ended. While a
// helper runs side, the caller does the shared parts of main; the helper joins afterwards. If no helper is free
// before main ends, the caller runs side itself. side must not use Share.
func Beside(side, main func()) {
	job := &sideJob{run: side}
	if runtime.GOMAXPROCS(0) < 2 || !helpers.side.CompareAndSwap(nil, job) {
		side()
		main()
		return
	}
	if helpers.awake[0].CompareAndSwap(false, true) {
		go helpers.help(0)
	}
	main()
	job.do()
	for spins := 1; job.state.Load() != ended; spins++ {
		pause()
		if spins%1024 == 0 {
			runtime.Gosched()
		}
	}
	helpers.side.Store(nil)
}

// sideJob is run by the thread that changes its state from waiting to running.
type sideJob struct {
	run   func()
	state atomic.Int32
}

const (
	waiting = iota
	running
	ended
)

// do runs the job unless another thread does, and reports whether it did. A job may be nil.
func (j *sideJob) do() bool {
	if j == nil || !j.state.CompareAndSwap(waiting, running) {
		return false
	}
	j.run()
	j.state.Store(ended)
	return true
}
