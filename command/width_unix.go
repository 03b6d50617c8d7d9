//go:build unix && !linux

package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalColumns returns the width of a terminal, or 0 if it is unknown.
func terminalColumns(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
