package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/polydag/polydag/internal/atomicfile"
)

// slots are the files of a directory.
var slots = [2]string{"state-0", "state-1"}

const lockFile = "lock"

// magic is the start of a state file, with the version of its format. After it come the number of the save, the
// length of the state, both 8 bytes little endian, the state, and the SHA-256 of everything before.
const magic = "polydag checkpoint 1\n"

const headerSize = len(magic) + 16

// ErrLocked is matched by the error of Open for a directory that another run has open.
var ErrLocked = errors.New("another run uses this directory")

// ErrDamaged is matched by the error of Load when there are states and none is whole.
var ErrDamaged = errors.New("no state is whole")

// Dir is an open directory. It is not safe for concurrent use, Discard aside.
type Dir struct {
	path  string
	lock  *os.File
	files atomicfile.Files

	scanned bool
	newest  uint64 // number of the newest whole state, 0 without any
	next    int    // slot of the next save
}

// Open makes the directory if need be and locks it.
func Open(path string) (*Dir, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(path, lockFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w; wait for it to end, or choose another directory", path, err)
	}
	// Remove partial saves that a killed process may have left.
	left, _ := filepath.Glob(filepath.Join(path, ".state-*"))
	for _, name := range left {
		os.Remove(name)
	}
	return &Dir{path: path, lock: f}, nil
}

// Close gives the directory back. The states stay.
func (d *Dir) Close() error { return d.lock.Close() }

// Path returns the directory's name.
func (d *Dir) Path() string { return d.path }

// Save makes state the newest one. When it returns without an error the state is on the disk; with one, the states from before
// are as they were.
func (d *Dir) Save(state []byte) error {
	if !d.scanned {
		if _, err := d.Load(); err != nil && !errors.Is(err, ErrDamaged) {
			return err
		}
	}
	head := make([]byte, 0, headerSize)
	head = append(head, magic...)
	head = binary.LittleEndian.AppendUint64(head, d.newest+1)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(state)))
	sum := sha256.New()
	sum.Write(head)
	sum.Write(state)
	err := d.files.Write(filepath.Join(d.path, slots[d.next]), func(w io.Writer) error {
		for _, part := range [][]byte{head, state, sum.Sum(nil)} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("the state was not saved: %w", err)
	}
	d.newest++
	d.next = 1 - d.next
	return nil
}

// Discard is for a process that is about to end while another goroutine may be saving. It removes unfinished
// files without waiting. Earlier states stay, and no more are saved.
func (d *Dir) Discard() { d.files.Discard() }

// Load returns the newest complete state, or nil if none was ever saved. If the newest is damaged, it returns
// the one before. If all are damaged, the error matches ErrDamaged.
func (d *Dir) Load() ([]byte, error) {
	d.newest, d.next = 0, 0
	var state []byte
	var faults []error
	for i, name := range slots {
		number, content, err := readState(filepath.Join(d.path, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, ErrDamaged):
			faults = append(faults, err)
		case err != nil:
			return nil, err
		case number > d.newest:
			d.newest, d.next, state = number, 1-i, content
		}
	}
	d.scanned = true
	if state == nil && faults != nil {
		return nil, fmt.Errorf("%s: %w; remove the files %s and %s to start from the beginning", d.path, errors.Join(faults...), slots[0], slots[1])
	}
	return state, nil
}

// readState reads and checks one file.
func readState(path string) (number uint64, state []byte, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, nil, err
	}
	damaged := func(what string) (uint64, []byte, error) {
		return 0, nil, fmt.Errorf("%s: %s: %w", filepath.Base(path), what, ErrDamaged)
	}
	end := len(b) - sha256.Size
	switch {
	case !bytes.HasPrefix(b, []byte(magic)):
		return damaged("it does not begin as a state of this version does")
	case end < headerSize || binary.LittleEndian.Uint64(b[len(magic)+8:]) != uint64(end-headerSize):
		return damaged("its length is wrong")
	}
	if sum := sha256.Sum256(b[:end]); !bytes.Equal(sum[:], b[end:]) {
		return damaged("its checksum is wrong")
	}
	return binary.LittleEndian.Uint64(b[len(magic):]), b[headerSize:end:end], nil
}

// Clear removes the states. The directory stays open.
func (d *Dir) Clear() error {
	d.scanned = false
	for _, name := range slots {
		if err := os.Remove(filepath.Join(d.path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
