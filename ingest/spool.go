package ingest

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
}

func (r regular) Size() (int64, error) { return r.size, nil }

// A spool keeps what is read of a stream in a temporary file, so that it can be read again and anywhere. Where the
// file cannot be written the stream still passes, once. The file is removed as soon as the system allows it.
type spool struct {
	name   string
	limit  int64
	mu     sync.Mutex
	src    io.Reader
	ended  error // what the stream ended with
	passed int64 // bytes read of the stream
	kept   int64 // bytes in the file: passed, until broken
	broken error // why no more is kept

	fileLock sync.Mutex // apart from mu, so that Close need not wait for a read of the stream
	file     *os.File
	closed   bool
}

func newSpool(name string, src io.Reader, limit int64) *spool {
	return &spool{name: name, src: src, limit: limit}
}

// keep writes p to the temporary file, which it makes at the first byte.
func (s *spool) keep(p []byte) error {
	s.fileLock.Lock()
	defer s.fileLock.Unlock()
	if s.closed {
		return os.ErrClosed
	}
	if s.kept+int64(len(p)) > s.limit {
		return fmt.Errorf("it is longer than the limit of %d bytes", s.limit)
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "polydag-*")
		if err != nil {
			return err
		}
		s.file = f
	}
	if _, err := s.file.WriteAt(p, s.kept); err != nil {
		return err
	}
	s.kept += int64(len(p))
	return nil
}

// vanish removes the name of the temporary file while it stays open, so that nothing is left even after a kill.
func (s *spool) vanish() {
	s.fileLock.Lock()
	defer s.fileLock.Unlock()
	if s.file != nil && runtime.GOOS != "windows" {
		os.Remove(s.file.Name())
	}
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
		return s.file.ReadAt(p[:min(int64(len(p)), s.kept-off)], off)
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
	n, err := s.file.ReadAt(p[:min(int64(len(p)), s.kept-off)], off)
	if n < len(p) && err == nil {
		err = io.EOF
	}
	return n, err
}

// reach reads the stream until end bytes are kept.
func (s *spool) reach(end int64) error {
	var buf []byte
	for {
		s.mu.Lock()
		have, err := s.kept, s.ended
		if s.broken != nil {
			err = s.lost()
		}
		if have < end && err == nil {
			if buf == nil {
				buf = make([]byte, 1<<18)
			}
			_, err = s.pull(buf)
			err = nil // it shows again above
		}
		s.mu.Unlock()
		if have >= end || err != nil {
			return err
		}
	}
}

// Size implements origin.
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
