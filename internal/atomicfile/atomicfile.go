// Package atomicfile writes files that are whole at every moment: a name has the old content or all of the new one, also
// after a kill or a loss of power.
package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Write calls fill with a new file in the folder of path, puts it on the disk and renames it to path. Where anything fails, fill
// included, path is as it was and the new file is gone; the error is fill's own, or that of the system.
//
// Where the system can (Linux, most file systems), the new file has no name until it is whole, so that even a process that is
// killed leaves nothing beside path. Elsewhere it is called .NAME.NUMBER on the way, and a kill may leave it.
//
// The file is readable by all, as its folder allows. A path that is no regular file is replaced by one.
func Write(path string, fill func(io.Writer) error) error { return new(Files).Write(path, fill) }

// Files writes files of one program. The zero value is ready to use, by several goroutines at the same time.
type Files struct {
	mu         sync.Mutex
	over       bool
	unfinished map[string]bool // names that are no results yet
	unnamed    func(folder string) *os.File
}

// ErrDiscarded is the error of a Write after Discard.
var ErrDiscarded = errors.New("the program is about to end: nothing more is written")

// Discard is for a program that is about to end while a Write may be under way on another goroutine: it takes away what is
// unfinished and does not wait for it. Files that are in their place stay, and no more get there.
func (k *Files) Discard() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = true
	for name := range k.unfinished {
		os.Remove(name)
	}
}

// Write is the function Write, for a program that may have to discard what is unfinished.
func (k *Files) Write(path string, fill func(io.Writer) error) error {
	f, err := k.create(path)
	if err != nil {
		return err
	}
	name := f.Name()
	if f.nameless {
		name = ""
	}
	defer func() { k.forget(name) }()
	err = fill(f)
	if err == nil {
		err = errors.Join(f.Chmod(0o644), f.Sync())
	}
	if err == nil && f.nameless {
		name, err = k.link(f, path)
	}
	// The first error says why; a file that is not kept need not be closed well.
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = k.rename(name, path)
	}
	if err != nil {
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// create begins a file.
func (k *Files) create(path string) (file, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return file{}, ErrDiscarded
	}
	way := k.unnamed
	if way == nil {
		way = unnamed
	}
	f, err := create(path, way)
	if err == nil && !f.nameless {
		k.remember(f.Name())
	}
	return f, err
}

func (k *Files) remember(name string) {
	if k.unfinished == nil {
		k.unfinished = map[string]bool{}
	}
	k.unfinished[name] = true
}

// link gives a file without a name one.
func (k *Files) link(f file, path string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return "", ErrDiscarded
	}
	name, err := f.link(path)
	if err == nil {
		k.remember(name)
	}
	return name, err
}

// rename puts a whole file in its place.
func (k *Files) rename(name, path string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over {
		return ErrDiscarded
	}
	return os.Rename(name, path)
}

// forget removes the file, unless it is in its place.
func (k *Files) forget(name string) {
	if name == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	os.Remove(name) // fails, as it should, once renamed
	delete(k.unfinished, name)
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
