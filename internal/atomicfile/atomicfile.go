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
func Write(path string, fill func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	return f.fill(fill)
}

func (f *File) fill(fill func(io.Writer) error) error {
	defer f.Discard()
	if err := fill(f); err != nil {
		return err
	}
	if err := f.Flush(); err != nil {
		return err
	}
	return f.Place()
}

// Check reports whether a file could be made in the folder of path.
func Check(path string) error {
	f, err := Create(path)
	if err == nil {
		f.Discard()
	}
	return err
}

// A File is on its way to its path: written, then flushed, then placed. Where the system can (Linux, most file systems), it has no
// name until it is placed, so that even a process that is killed leaves nothing beside path. Elsewhere it is called .NAME.NUMBER on
// the way, and only Discard takes it away.
//
// Discard may be called from any goroutine at any time; the other methods from one at a time.
type File struct {
	f    *os.File
	path string

	mu   sync.Mutex
	name string // of the file on its way; empty where it has none
	over bool   // placed or discarded
}

// ErrDiscarded is returned for a file that was discarded.
var ErrDiscarded = errors.New("the file was discarded")

// Create makes a new file for path. It must be placed or discarded.
func Create(path string) (*File, error) {
	if f := unnamed(filepath.Dir(path)); f != nil {
		return &File{f: f, path: path}, nil
	}
	return createNamed(path)
}

func createNamed(path string) (*File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), pattern(path))
	if err != nil {
		return nil, err
	}
	return &File{f: f, path: path, name: f.Name()}, nil
}

// pattern is the name of a file on the way to path, with a star for the number.
func pattern(path string) string { return "." + filepath.Base(path) + ".*" }

// Write appends to the file.
func (f *File) Write(p []byte) (int, error) { return f.f.Write(p) }

// Flush makes the file readable by all, as its folder allows, and puts it on the disk: a rename that outlives its content would
// leave an empty file after a crash.
func (f *File) Flush() error { return errors.Join(f.f.Chmod(0o644), f.f.Sync()) }

// Place closes the file and renames it to its path, which is replaced. Where it fails the file is gone.
func (f *File) Place() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return ErrDiscarded
	}
	f.over = true
	var err error
	if f.name == "" {
		f.name, err = link(f.f, f.path)
	}
	if e := f.f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.name, f.path)
	}
	if err != nil {
		if f.name != "" {
			os.Remove(f.name)
		}
		return err
	}
	syncFolder(filepath.Dir(f.path))
	return nil
}

// Discard takes the file away unless it is placed.
func (f *File) Discard() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return
	}
	f.over = true
	f.f.Close()
	if f.name != "" {
		os.Remove(f.name)
	}
}

// syncFolder puts a rename on the disk. Not every system can; the rename itself has happened.
func syncFolder(path string) {
	if f, err := os.Open(path); err == nil {
		f.Sync()
		f.Close()
	}
}
