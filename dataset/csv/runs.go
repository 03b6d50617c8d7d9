package csv

import (
	"bytes"
	"io"

	"github.com/polydag/polydag/dataset"
)

// runBytes is the size of the text that a worker takes at once. It is large enough that locks do not matter and
// small enough for a core's cache.
const runBytes = 512 << 10

// A runReader splits a stream into runs of whole records. It handles quotes only so that it does not split
// inside them.
type runReader struct {
	r       io.Reader
	size    int    // size of a run unless a record is longer
	maxLine int    // largest size of a record in bytes
	tail    []byte // read but not returned
	last    int    // bytes of the last run
	taken   int64  // bytes returned
	eof     bool
	err     error // error that ended the stream, returned by every later call
}

func newRunReader(r io.Reader, maxLine int) *runReader {
	return &runReader{r: r, size: runBytes, maxLine: maxLine}
}

// peek returns the first bytes of the next run, size of them if the stream is long enough. They are valid until
// the next call.
func (s *runReader) peek() ([]byte, error) {
	if s.err == nil {
		s.err = s.fill(&s.tail, s.size)
	}
	return s.tail, s.err
}

// next overwrites buf with the next run, which ends with a line end, and returns it. At the end it returns
// io.EOF. A record longer than maxLine is ErrLineTooLong.
//
// A run has at most size bytes, or its first record and less than size bytes more. This also limits the memory
// of its values, however long another line was.
func (s *runReader) next(buf []byte) ([]byte, error) {
	if s.err != nil {
		return buf[:0], s.err
	}
	buf, s.err = s.cut(buf)
	s.last = len(buf)
	return buf, s.err
}

func (s *runReader) cut(buf []byte) ([]byte, error) {
	if cap(buf) == 0 || cap(buf) > 4*max(s.size, s.last) { // do not keep the memory of one long line
		buf, s.tail = s.tail, nil
	} else {
		buf, s.tail = append(buf[:0], s.tail...), s.tail[:0]
	}
	odd, seen := false, 0
	for want := s.size; ; want = min(len(buf)+s.size, s.maxLine+1) {
		if err := s.fill(&buf, want); err != nil {
			return buf[:0], err
		}
		if s.eof {
			if len(buf) == 0 {
				return buf, io.EOF
			}
			s.taken += int64(len(buf))
			if buf[len(buf)-1] != '\n' {
				buf = append(buf, '\n')
			}
			return buf, nil
		}
		var end int
		if end, odd = lastRecordEnd(buf[seen:], odd); end > 0 {
			end += seen
			s.tail = append(s.tail, buf[end:]...)
			s.taken += int64(end)
			return buf[:end], nil
		}
		seen = len(buf)
		if len(buf) > s.maxLine {
			return buf[:0], dataset.ErrLineTooLong
		}
	}
}

// giveBack makes rest, the end of the last run, the start of the next run, and takes over its memory.
func (s *runReader) giveBack(rest []byte) {
	if s.err == io.EOF {
		s.err = nil
	}
	s.tail = append(rest, s.tail...)
	s.taken -= int64(len(rest))
}

// fill reads until buf holds want bytes or the stream ends.
func (s *runReader) fill(buf *[]byte, want int) error {
	b := *buf
	if cap(b) < want+1 { // one more byte for a missing final line end
		room := want + 1
		if want > s.size {
			room = max(room, 2*cap(b))
			if room > s.maxLine/4*3 {
				room = s.maxLine + 2 // avoid a small last step, which would copy the memory again
			}
		}
		b = append(make([]byte, 0, room), b...)
	}
	for idle := 0; len(b) < want && !s.eof; {
		n, err := s.r.Read(b[len(b):want])
		b = b[:len(b)+n]
		if n > 0 {
			idle = 0
		} else if idle++; err == nil && idle == 100 {
			err = io.ErrNoProgress
		}
		if err == io.EOF {
			s.eof = true
		} else if err != nil {
			return err
		}
	}
	*buf = b
	return nil
}

// lastRecordEnd returns the position after the last line end of b outside quotes, or 0, and whether b ends
// inside quotes. odd reports whether b begins inside quotes. In a well-formed table a line end is outside
// quotes exactly if the number of quotes before it is even. In any other table an earlier record is refused
// first.
func lastRecordEnd(b []byte, odd bool) (end int, oddAfter bool) {
	quote := []byte{'"'}
	if bytes.IndexByte(b, '"') < 0 {
		if odd {
			return 0, true
		}
		return bytes.LastIndexByte(b, '\n') + 1, false
	}
	for pos := 0; ; {
		k := bytes.IndexByte(b[pos:], '\n')
		if k < 0 {
			return end, odd != (bytes.Count(b[pos:], quote)%2 == 1)
		}
		if bytes.Count(b[pos:pos+k], quote)%2 == 1 {
			odd = !odd
		}
		pos += k + 1
		if !odd {
			end = pos
		}
	}
}

// twoRecords reports whether b contains its first record and a part of another.
func twoRecords(b []byte) bool {
	return len(bytes.TrimLeft(b[recordEnd(b):], "\r\n")) > 0
}
