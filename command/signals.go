//go:build !js

package command

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// repeatTime is the time during which further signals count as repetitions of the first. One event often sends
// several: GNU timeout signals the process and its group, and closing a terminal sends SIGHUP twice.
const repeatTime = 500 * time.Millisecond

// notify sends the signals that end a command to a channel until stop is called. A program that was started
// with SIGHUP ignored, as by nohup, continues without its terminal.
func notify(signals chan<- os.Signal) (stop func()) {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	signal.Notify(signals, list...)
	return func() { signal.Stop(signals) }
}
