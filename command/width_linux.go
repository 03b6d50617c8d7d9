package command

import (
	"os"
	"syscall"
	"unsafe"
)

// terminalColumns returns the width of a terminal, or 0 if it is unknown. It calls the system itself, because package golang.org/x/sys/unix,
// which other systems need, takes a second to compile.
func terminalColumns(f *os.File) int {
	var size struct{ rows, columns, x, y uint16 }
	if _, _, fault := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size))); fault != 0 {
		return 0
	}
	return int(size.columns)
}
