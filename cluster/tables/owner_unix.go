//go:build unix

package tables

import (
	"os"
	"syscall"
)

// owned reports whether a file belongs to the user of this process, because anybody can create a folder in
// /tmp.
func owned(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}
