//go:build !js

package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// repeatTime is how long signals after the first count as the same one. One event often sends several: GNU timeout signals the process
// and then its group, and a terminal that closes sends SIGHUP from the shell and from the kernel.
const repeatTime = 500 * time.Millisecond

// notify sends the signals that end a command to a channel, until the function that it returns is called. A program that was
// started with SIGHUP ignored, as nohup does, goes on without its terminal.
func notify(signals chan<- os.Signal) (stop func()) {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	signal.Notify(signals, list...)
	return func() { signal.Stop(signals) }
}
