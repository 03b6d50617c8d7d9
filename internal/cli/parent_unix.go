//go:build unix

package cli

import (
	"context"
	"os"
	"syscall"
	"time"
)

// parentEvery is how often it is looked whether a process is still there. A look is two system calls.
const parentEvery = 100 * time.Millisecond

// awaitEnd waits until the process has ended, and reports false where ctx ends first. A parent that was killed may stay a zombie
// for long, which has a number but no children any more.
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
