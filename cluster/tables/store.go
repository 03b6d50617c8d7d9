package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/internal/atomicfile"
	"github.com/polydag/polydag/internal/checkpoint"
)

// A Store keeps inputs in a folder that all workers of one user on one machine share, each under its hash. An input is then sent to
// a machine once, and not once for each worker and each kind of unit.
type Store struct {
	dir  string
	most int64 // bytes of all inputs together
}

// WorkerRole is the role of a worker's checkpoint.Folder.
const WorkerRole = "worker"

const (
	storePrefix = "polydag-inputs-"
	// storeBytes limits the inputs in a Store. The oldest ones are removed first.
	storeBytes = 8 << 30
	// storeAge is the age from which an unused input is removed.
	storeAge = 24 * time.Hour
)

// NewStore returns the store in parent, or in the system's temporary folder if parent is empty. It removes inputs that were not used
// for a day.
func NewStore(parent string) (*Store, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	dir := filepath.Join(parent, fmt.Sprint(storePrefix, os.Getuid()))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("cannot make a folder for tables: %w; set TMPDIR to a folder with room", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || !checkpoint.Owned(info) {
		return nil, fmt.Errorf("%s is not a folder of this user; remove it, or set TMPDIR to another folder", dir)
	}
	s := &Store{dir, storeBytes}
	s.trim(0)
	return s, nil
}

// Get returns the bytes of an input from the folder, or from fetch, whose bytes it keeps. Another process that fetches the same
// input is waited for. A file that cannot be kept is not an error.
func (s *Store) Get(ctx context.Context, hash string, fetch func(context.Context) ([]byte, error)) ([]byte, error) {
	if strings.Trim(hash, "0123456789abcdef") != "" || len(hash) != 64 {
		return fetch(ctx) // not the name of a file
	}
	path := filepath.Join(s.dir, hash)
	_ = os.Mkdir(s.dir, 0o700) // the last worker may have removed it
	for {
		if b := s.kept(path, hash); b != nil {
			return b, nil
		}
		lock, err := checkpoint.Open(path + ".lock")
		if errors.Is(err, checkpoint.ErrLocked) {
			select {
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			case <-time.After(20 * time.Millisecond):
				continue
			}
		}
		if err != nil {
			return fetch(ctx)
		}
		defer lock.Close()
		if b := s.kept(path, hash); b != nil { // the other process has just ended
			return b, nil
		}
		b, err := fetch(ctx)
		if err == nil && work.Hash(b) == hash && int64(len(b)) <= s.most {
			s.trim(int64(len(b)))
			_ = atomicfile.Write(path, func(w io.Writer) error { _, err := w.Write(b); return err }) // a full disk costs another transfer
		}
		return b, err
	}
}

// Close removes the folder if no worker of the machine is left, which each have a checkpoint.Folder.
func (s *Store) Close() error {
	if others, err := filepath.Glob(filepath.Join(filepath.Dir(s.dir), "polydag-"+WorkerRole+"-*")); err != nil || len(others) > 0 {
		return err
	}
	return os.RemoveAll(s.dir)
}

// kept returns the bytes of a file if they have the hash, or nil.
func (s *Store) kept(path, hash string) []byte {
	b, err := os.ReadFile(path)
	if err != nil || work.Hash(b) != hash {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // it only orders the removal
	return b
}

// trim removes old inputs, and the least recently used ones until need bytes fit.
func (s *Store) trim(need int64) {
	entries, _ := os.ReadDir(s.dir)
	var infos []os.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		if info.Mode().IsRegular() {
			infos = append(infos, info)
			need += info.Size()
			continue
		}
		if time.Since(info.ModTime()) > storeAge { // the lock of an input that is gone
			if lock, err := checkpoint.Open(filepath.Join(s.dir, e.Name())); err == nil {
				_ = os.RemoveAll(lock.Path())
				lock.Close()
			}
		}
	}
	slices.SortFunc(infos, func(a, b os.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range infos {
		if need > s.most || time.Since(info.ModTime()) > storeAge {
			_ = os.Remove(filepath.Join(s.dir, info.Name()))
			need -= info.Size()
		}
	}
}
