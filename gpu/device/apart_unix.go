//go:build unix

package device

import (
	"os/exec"
	"syscall"
)

// apart starts the program in its own process group, so that it does not get the signals of the terminal.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
