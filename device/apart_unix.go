//go:build unix

package device

import (
	"os/exec"
	"syscall"
)

// apart keeps the signals of the terminal from the program.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
