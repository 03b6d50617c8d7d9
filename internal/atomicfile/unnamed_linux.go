package atomicfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// Package syscall lacks these constants and linkat; package golang.org/x/sys/unix has them but takes a second to compile.
const (
	temporary    = 0x400000 // __O_TMPFILE of open
	workingDir   = -100     // AT_FDCWD of linkat
	followTarget = 0x400    // AT_SYMLINK_FOLLOW of linkat
)

// unnamed opens an unnamed file in the folder's file system. It returns nil if the file system does not support
// it, or if /proc, which is needed to link it, is missing.
func unnamed(folder string) *os.File {
	fd, err := syscall.Open(folder, temporary|syscall.O_DIRECTORY|syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
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
		err := linkTarget(procName(f.File), name)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", &fs.PathError{Op: "link", Path: name, Err: err}
		}
	}
}

// linkTarget gives the file that the symbolic link from points to another name.
func linkTarget(from, name string) error {
	old, err := syscall.BytePtrFromString(from)
	if err != nil {
		return err
	}
	next, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	here := workingDir
	if _, _, fault := syscall.Syscall6(syscall.SYS_LINKAT, uintptr(here), uintptr(unsafe.Pointer(old)), uintptr(here), uintptr(unsafe.Pointer(next)), followTarget, 0); fault != 0 {
		return fault
	}
	return nil
}

func procName(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }
