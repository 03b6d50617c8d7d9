package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the CPU time of this process: on a shared machine it leaves out the time in
// which others ran. gonum works on several threads, so the time of one would not do.
func cpuTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		panic(err)
	}
	return time.Duration(ts.Nano())
}
