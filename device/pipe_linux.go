package device

import (
	"os"
	"syscall"
)

// Widen lets a pipe hold a mebibyte, which is what Linux allows everybody, in place of 64 KiB: writer and reader take turns less often. Where that
// is refused the pipe stays as it is.
func Widen(f *os.File) {
	const setSize = 1031 // F_SETPIPE_SZ
	_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), setSize, 1<<20)
}
