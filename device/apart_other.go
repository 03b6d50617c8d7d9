//go:build !unix

package device

import "os/exec"

// apart does nothing: there is no program to keep signals from.
func apart(*exec.Cmd) {}
