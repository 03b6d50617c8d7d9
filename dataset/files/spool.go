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

// An origin is where the bytes of a file come from: a regular file, or a stream that is kept as it is read.
type origin interface {
	io.ReaderAt
	// Size returns the number of bytes; a stream is read to its end.
	Size() (int64, error)
	Close() error
}

// fromStart reads an origin from its first byte to its end.
func fromStart(o origin) io.Reader {
	if s, ok := o.(*spool); ok {
		return &spoolReader{s: s}
	}
	return io.NewSectionReader(o, 0, math.MaxInt64)
}

type regular struct {
	*os.File
	size int64
	lent bool // somebody else closes it
}

func (r regular) Size() (int64, error) { return r.size, nil }

func (r regular) Close() error {
	if r.lent {
		return nil
	}
	return r.File.Close()
}

// A spool keeps what is read of a stream, so that it can be read again and anywhere: its start in memory, all else in a
// temporary file. Where the file cannot be written the stream still passes, once. The file is removed as soon as the
// system allows it.
type spool struct {
	name   string
	limit  int64
	temp   func(dir, pattern string) (*os.File, error) // makes a file that keeps its name; os.CreateTemp if nil
	mu     sync.Mutex
	src    io.Reader
	ended  error // what the stream ended with
	passed int64 // bytes read of the stream
	kept   int64 // bytes in memory or in the file: passed, until broken
	start  []byte
	block  []byte // what reach reads into
	broken error  // why no more is kept

	fileLock sync.Mutex // apart from mu, so that Close need not wait for a read of the stream
	file     *os.File
	named    bool // the file keeps its name
	closed   bool
}

func newSpool(name string, src io.Reader, limit int64) *spool {
	return &spool{name: name, src: src, limit: limit}
}

// inMemoryStart is how much of a stream is kept in memory.
const inMemoryStart = 1 << 20

// keep keeps p, which follows what is kept already.
func (s *spool) keep(p []byte) error {
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

// create makes the temporary file, in which the start is left out, unless it is there. The file lock is held.
func (s *spool) create() error {
	if s.closed {
		return os.ErrClosed
	}
	if s.file == nil {
		open := os.CreateTemp
		if s.named && s.temp != nil {
			open = s.temp
		}
		f, err := open("", "polydag-*")
		if err != nil {
			return err
		}
		if s.file = f; !s.named && runtime.GOOS != "windows" {
			os.Remove(f.Name()) // it stays open, and nothing is left even after a kill
		}
	}
	return nil
}

// path reads the stream to its end and returns the name of a file that holds it. It is called before the file is made.
func (s *spool) path() (string, error) {
	s.named = true
	if _, err := s.Size(); err != nil {
		return "", err
	}
	s.fileLock.Lock()
	defer s.fileLock.Unlock()
	if err := s.create(); err != nil {
		return "", err
	}
	if _, err := s.file.WriteAt(s.start, 0); err != nil {
		return "", err
	}
	return s.file.Name(), nil
}

// recall reads what is kept at off.
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

// pull reads the stream into p and keeps what came. The lock is held.
func (s *spool) pull(p []byte) (int, error) {
	if s.ended != nil {
		return 0, s.ended
	}
	n, err := s.src.Read(p)
	if s.broken == nil && n > 0 {
		s.broken = s.keep(p[:n])
	}
	s.passed += int64(n)
	if err != nil {
		s.ended = err
	}
	return n, err
}

// readFrom reads some bytes at off, which is at most as far as the stream was read.
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

// ReadAt implements io.ReaderAt; it reads the stream as far as needed.
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

// reach reads the stream until end bytes are kept.
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
			s.pull(s.block) // its error shows again above
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

// again reports whether the stream can be read from its start once more.
func (s *spool) again() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.lost()
	}
	return nil
}

// Close removes the temporary file. It does not wait for a read of the stream that hangs.
func (s *spool) Close() error {
	s.fileLock.Lock()
	defer s.fileLock.Unlock()
	s.closed = true
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if e := os.Remove(s.file.Name()); e != nil && !errors.Is(e, os.ErrNotExist) {
		err = errors.Join(err, e)
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
