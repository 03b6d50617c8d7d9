//go:build unix

package checkpoint

import (
	"os"
	"syscall"
)

// Owned reports whether a file belongs to the user of this process, because anybody can create a folder in
// /tmp.
func Owned(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
