//go:build !js

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

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
