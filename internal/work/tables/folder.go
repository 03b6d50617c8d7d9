package tables

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/polydag/polydag/internal/checkpoint"
)

// A Folder holds the files of tables while the units of one process read them. The process has it locked, so that another one can
// tell the folder of a process that was killed.
type Folder struct {
	path string
	lock *checkpoint.Dir
}

const folderPrefix = "polydag-worker-"

// NewFolder makes a folder in parent, or in the system's folder for temporary files where parent is empty. It removes the folders that
// killed processes of the same user have left there.
func NewFolder(parent string) (*Folder, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	// The folder gets its name after it is locked: otherwise a process that starts at the same time could take it for a leftover.
	path, err := os.MkdirTemp(parent, "."+folderPrefix)
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder for tables: %w; set TMPDIR to a folder with room", err)
	}
	lock, err := checkpoint.Open(path)
	if err == nil {
		name := filepath.Join(parent, strings.TrimPrefix(filepath.Base(path), "."))
		if err = os.Rename(path, name); err == nil {
			f := &Folder{name, lock}
			f.sweep(parent)
			return f, nil
		}
		lock.Close()
	}
	return nil, errors.Join(err, os.RemoveAll(path))
}

// sweep removes the folders that nobody has locked. Where the file system has no locks it removes nothing.
func (f *Folder) sweep(parent string) {
	if second, err := checkpoint.Open(f.path); !errors.Is(err, checkpoint.ErrLocked) {
		if err == nil {
			second.Close()
		}
		return
	}
	entries, _ := os.ReadDir(parent) // what cannot be read stays
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), folderPrefix) || !info.IsDir() || !owned(info) {
			continue
		}
		path := filepath.Join(parent, e.Name())
		lock, err := checkpoint.Open(path)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(path) // the next worker tries again
		lock.Close()
	}
}

// Path is where the folder is.
func (f *Folder) Path() string { return f.path }

// Close removes the folder with all that is in it.
func (f *Folder) Close() error { return errors.Join(os.RemoveAll(f.path), f.lock.Close()) }
