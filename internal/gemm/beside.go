package gemm

import (
	"runtime"
	"sync/atomic"
)

// Beside runs side and main at the same time, main on the calling thread, and returns when both have ended. The parts that main
// shares are left to the caller while a helper runs side; it takes its own of them as soon as it has ended. Where no helper comes
// before main has ended, the caller runs side itself. side is not to share anything.
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

// sideJob is run by whoever changes its state from waiting to running.
type sideJob struct {
	run   func()
	state atomic.Int32
}

const (
	waiting = iota
	running
	ended
)

// do runs the job unless somebody else does, and reports whether it has. A job may be nil.
func (j *sideJob) do() bool {
	if j == nil || !j.state.CompareAndSwap(waiting, running) {
		return false
	}
	j.run()
	j.state.Store(ended)
	return true
}
