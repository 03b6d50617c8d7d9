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

// Write calls fill with a new file in the folder of path, syncs it and renames it to path. If anything fails,
// including fill, path is unchanged and the new file is removed; the error is that of fill or of the system.
//
// If the system supports it (Linux, most file systems), the new file has no name until it is complete, so that
// even a killed process leaves nothing behind. Otherwise its temporary name is .NAME.NUMBER, and a kill may
// leave it.
//
// A new file is readable by all, as its folder allows; a file that replaces another keeps its permissions. A path that is not a regular
// file is replaced by one.
func Write(path string, fill func(io.Writer) error) error { return new(Files).Write(path, fill) }

// Files writes files of one program. The zero value is ready to use, by several goroutines at the same time.
type Files struct {
	mu         sync.Mutex
	over       bool
	unfinished map[string]bool // names that are not results yet
	unnamed    func(folder string) *os.File
}

// ErrDiscarded is the error of a Write after Discard.
var ErrDiscarded = errors.New("the program is about to end: nothing more is written")

// Discard is for a program that is about to end while another goroutine may be in Write. It removes unfinished
// files without waiting. Finished files stay, and no more are created.
func (k *Files) Discard() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = true
	for name := range k.unfinished {
		os.Remove(name)
	}
}

// Write is the function Write, for a program that may have to discard unfinished files.
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
		err = errors.Join(f.Chmod(permissions(path)), f.Sync())
	}
	if err == nil && f.nameless {
		name, err = k.link(f, path)
	}
	// The first error has the reason; a file that is removed need not be closed without error.
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

// permissions are those of the file that is replaced, or those of a new one.
func permissions(path string) os.FileMode {
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
		return st.Mode().Perm()
	}
	return 0o644
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

// create creates a file without a name if possible, and otherwise one with a temporary name.
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
