package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Folder holds temporary files of one process, such as tables. It is locked, so that another process can recognize the folder of a
// killed process.
type Folder struct {
	path string
	lock *Dir
}

// NewFolder creates a folder in parent, or in the system's temporary folder if parent is empty. It removes the
// folders of killed processes of the same user with the same role, such as worker.
func NewFolder(parent, role string) (*Folder, error) {
	prefix := "polydag-" + role + "-"
	if parent == "" {
		parent = os.TempDir()
	}
	// The folder is renamed after it is locked. Otherwise a process that starts at the same time could remove
	// it as a leftover.
	path, err := os.MkdirTemp(parent, "."+prefix)
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder for tables: %w; set TMPDIR to a folder with room", err)
	}
	lock, err := Open(path)
	if err == nil {
		name := filepath.Join(parent, strings.TrimPrefix(filepath.Base(path), "."))
		if err = os.Rename(path, name); err == nil {
			f := &Folder{name, lock}
			f.sweep(parent, prefix)
			return f, nil
		}
		lock.Close()
	}
	return nil, errors.Join(err, os.RemoveAll(path))
}

// sweep removes the folders without a lock. It removes nothing if the file system does not support locks.
func (f *Folder) sweep(parent, prefix string) {
	if second, err := Open(f.path); !errors.Is(err, ErrLocked) {
		if err == nil {
			second.Close()
		}
		return
	}
	entries, _ := os.ReadDir(parent) // unreadable entries stay
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), prefix) || !info.IsDir() || !Owned(info) {
			continue
		}
		path := filepath.Join(parent, e.Name())
		lock, err := Open(path)
		if err != nil {
			continue
		}
		_ = os.RemoveAll(path) // the next worker tries again
		lock.Close()
	}
}

// Path returns the path of the folder.
func (f *Folder) Path() string { return f.path }

// Close removes the folder and its content.
func (f *Folder) Close() error { return errors.Join(os.RemoveAll(f.path), f.lock.Close()) }
