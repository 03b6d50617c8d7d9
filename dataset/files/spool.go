package files

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"sync"
)

// An origin is where the bytes of a file come from: a regular file, or a stream that is saved while it is read.
type origin interface {
	io.ReaderAt
	// Size returns the number of bytes; for a stream it reads to the end.
	Size() (int64, error)
	Close() error
}

// fromStart reads an origin from its first byte.
func fromStart(o origin) io.Reader {
	if s, ok := o.(*spool); ok {
		return &spoolReader{s: s}
	}
	return io.NewSectionReader(o, 0, math.MaxInt64)
}

type regular struct {
	*os.File
	size int64
	lent bool // the caller closes it
}

func (r regular) Size() (int64, error) { return r.size, nil }

func (r regular) Close() error {
	if r.lent {
		return nil
	}
	return r.File.Close()
}

// A spool saves a stream while it is read, so that any part of it can be read again: its start in memory, the rest in a temporary
// file. If the file cannot be written, the stream can still be read once. The file is removed as early as the system allows.
type spool struct {
	name   string
	limit  int64
	mu     sync.Mutex
	src    io.Reader
	owned  io.Closer // closed with the spool; may be nil
	ended  error     // error that ended the stream
	passed int64     // bytes read from the stream
	kept   int64     // bytes saved in memory or in the file; equal to passed unless broken
	start  []byte
	block  []byte // read buffer of reach
	broken error  // why saving stopped

	fileLock sync.Mutex // separate from mu, so that Close does not wait for a read of the stream
	file     *os.File
	closed   bool
}

// inMemoryStart is the number of bytes of a stream that are kept in memory.
const inMemoryStart = 1 << 20

// save appends p to the bytes saved so far.
func (s *spool) save(p []byte) error {
	if s.kept+int64(len(p)) > s.limit {
		return fmt.Errorf("it is longer than the limit of %d bytes", s.limit)
	}
	if n := min(len(p), inMemoryStart-len(s.start)); n > 0 {
		s.start = append(s.start, p[:n]...)
		s.kept += int64(n)
		p = p[n:]
	}
	if len(p) == 0 {
		return nil
	}
	s.fileLock.Lock()
	defer s.fileLock.Unlock()
	if err := s.create(); err != nil {
		return err
	}
	if _, err := s.file.WriteAt(p, s.kept); err != nil {
		return err
	}
	s.kept += int64(len(p))
	return nil
}

// create makes the temporary file, which lacks the start, unless it exists. The caller has locked fileLock.
func (s *spool) create() error {
	if s.closed {
		return os.ErrClosed
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "polydag-*")
		if err != nil {
			return err
		}
		if s.file = f; runtime.GOOS != "windows" {
			os.Remove(f.Name()) // the file stays open, and nothing remains even if the process is killed
		}
	}
	return nil
}

// recall reads saved bytes at off.
func (s *spool) recall(p []byte, off int64) (int, error) {
	p = p[:min(int64(len(p)), s.kept-off)]
	n := 0
	if off < int64(len(s.start)) {
		n = copy(p, s.start[off:])
	}
	if n == len(p) {
		return n, nil
	}
	k, err := s.file.ReadAt(p[n:], off+int64(n))
	return n + k, err
}

// pull reads the stream into p and saves the bytes. The caller has locked mu.
func (s *spool) pull(p []byte) (int, error) {
	if s.ended != nil {
		return 0, s.ended
	}
	n, err := s.src.Read(p)
	if s.broken == nil && n > 0 {
		s.broken = s.save(p[:n])
	}
	s.passed += int64(n)
	if err != nil {
		s.ended = err
	}
	return n, err
}

// readFrom reads some bytes at off, which must not be beyond what was read from the stream.
func (s *spool) readFrom(p []byte, off int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case off == s.passed:
		return s.pull(p)
	case off < s.kept:
		return s.recall(p, off)
	}
	return 0, s.lost()
}

func (s *spool) lost() error {
	return located(s.name, ErrOnePass, "%v", s.broken)
}

// ReadAt implements io.ReaderAt. It reads the stream as far as needed.
func (s *spool) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errors.New("negative offset")
	}
	if err := s.reach(off + int64(len(p))); err != nil && err != io.EOF {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if off >= s.kept {
		return 0, io.EOF
	}
	n, err := s.recall(p, off)
	if n < len(p) && err == nil {
		err = io.EOF
	}
	return n, err
}

// reach reads the stream until end bytes are saved.
func (s *spool) reach(end int64) error {
	for {
		s.mu.Lock()
		have, err := s.kept, s.ended
		if s.broken != nil {
			err = s.lost()
		}
		if have < end && err == nil {
			if s.block == nil {
				s.block = make([]byte, 1<<18)
			}
			s.pull(s.block) // the loop reports the error
		}
		s.mu.Unlock()
		if have >= end || err != nil {
			return err
		}
	}
}

func (s *spool) Size() (int64, error) {
	if err := s.reach(math.MaxInt64); err != io.EOF {
		return 0, err
	}
	return s.kept, nil
}

// again returns an error if the stream cannot be read from its start again.
func (s *spool) again() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.lost()
	}
	return nil
}

// Close removes the temporary file. It does not wait for a blocked read of the stream.
func (s *spool) Close() (err error) {
	s.fileLock.Lock()
	defer s.fileLock.Unlock()
	s.closed = true
	if s.file != nil {
		err = s.file.Close()
		if e := os.Remove(s.file.Name()); !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	if s.owned != nil {
		err = errors.Join(err, s.owned.Close())
	}
	return err
}

type spoolReader struct {
	s   *spool
	off int64
}

func (r *spoolReader) Read(p []byte) (int, error) {
	n, err := r.s.readFrom(p, r.off)
	r.off += int64(n)
	return n, err
}

func (r *spoolReader) ReadAt(p []byte, off int64) (int, error) { return r.s.ReadAt(p, off) }
