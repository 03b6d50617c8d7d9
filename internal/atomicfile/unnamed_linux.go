package atomicfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// unnamed opens an unnamed file in the folder's file system. It returns nil if the file system does not support
// it, or if /proc, which is needed to link it, is missing.
func unnamed(folder string) *os.File {
	fd, err := unix.Open(folder, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), folder)
	if _, err := os.Stat(procName(f)); err != nil {
		f.Close()
		return nil
	}
	return f
}

// link gives the file a unique name next to path.
func (f file) link(path string) (string, error) {
	for {
		name := filepath.Join(filepath.Dir(path), strings.Replace(pattern(path), "*", strconv.FormatUint(uint64(rand.Uint32()), 10), 1))
		err := unix.Linkat(unix.AT_FDCWD, procName(f.File), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", &fs.PathError{Op: "link", Path: name, Err: err}
		}
	}
}

func procName(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }
