//go:build !linux

package main

import "time"

var start = time.Now()

// cpuTime is wall time where CPU time is not to be had.
func cpuTime() time.Duration { return time.Since(start) }
