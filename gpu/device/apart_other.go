//go:build !unix

package device

import "os/exec"

// apart does nothing, because process groups exist only on Unix.
func apart(*exec.Cmd) {}
