//go:build unix

package command

import (
	"context"
	"os"
	"syscall"
	"time"
)

// parentEvery is the interval between checks whether the process exists. A check takes two system calls.
const parentEvery = 100 * time.Millisecond

// awaitEnd waits until the process has ended and returns false if ctx ends first. A killed parent may remain a
// zombie, which has a process ID but no children.
func awaitEnd(ctx context.Context, pid int) bool {
	child := os.Getppid() == pid
	tick := time.NewTicker(parentEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
			if err := syscall.Kill(pid, 0); err == syscall.ESRCH || child && os.Getppid() != pid {
				return true
			}
		}
	}
}
