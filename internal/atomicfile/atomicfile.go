// Package atomicfile writes files that are whole at every moment: a name has the old content or all of the new one, also
// after a kill or a loss of power.
package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Write calls fill with a new file in the folder of path, puts it on the disk and renames it to path. Where anything fails, fill
// included, path is as it was and the new file is gone; the error is fill's own, or that of the system.
//
// Where the system can (Linux, most file systems), the new file has no name until it is whole, so that even a process that is
// killed leaves nothing beside path. Elsewhere it is called .NAME.NUMBER on the way, and a kill may leave it.
//
// The file is readable by all, as its folder allows. A path that is no regular file is replaced by one.
func Write(path string, fill func(io.Writer) error) error { return write(path, fill, unnamed) }

// write is Write with the way to a file without a name, which returns nil where there is none.
func write(path string, fill func(io.Writer) error, unnamed func(folder string) *os.File) error {
	f, err := create(path, unnamed)
	if err != nil {
		return err
	}
	name := f.Name()
	if f.nameless {
		name = ""
	}
	defer func() {
		if name != "" {
			os.Remove(name) // fails, as it should, once renamed
		}
	}()
	err = fill(f)
	if err == nil {
		err = errors.Join(f.Chmod(0o644), f.Sync())
	}
	if err == nil && f.nameless {
		name, err = f.link(path)
	}
	// The first error says why; a file that is not kept need not be closed well.
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// Check reports whether Write could make a file in the folder of path.
func Check(path string) error {
	f, err := create(path, unnamed)
	if err != nil {
		return err
	}
	err = f.Close()
	if !f.nameless {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// file is a new file, which has a name or none yet.
type file struct {
	*os.File
	nameless bool
}

// create makes a file without a name if it can, and otherwise one with a name of its own.
func create(path string, unnamed func(folder string) *os.File) (file, error) {
	if f := unnamed(filepath.Dir(path)); f != nil {
		return file{f, true}, nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), pattern(path))
	return file{f, false}, err
}

// pattern is the name of a file on the way to path, with a star for the number.
func pattern(path string) string { return "." + filepath.Base(path) + ".*" }

// syncFolder puts a rename on the disk. Not every system can; the rename itself has happened.
func syncFolder(path string) {
	if f, err := os.Open(path); err == nil {
		f.Sync()
		f.Close()
	}
}
