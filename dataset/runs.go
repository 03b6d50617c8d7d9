package dataset

import (
	"bytes"
	"io"
)

// runBytes is how much text a worker takes at once: enough that locks do not matter, small
// enough that text and values stay in a core's cache.
const runBytes = 512 << 10

// A source cuts a stream into runs of whole records. It knows quotes only so far that it
// does not cut inside of them.
type source struct {
	r       io.Reader
	maxLine int
	tail    []byte // read, not yet handed out
	taken   int64  // bytes handed out
	eof     bool
	err     error // what ended the source; every later call returns it
}

// next overwrites buf with the next run, which ends with a line end, and returns it. At the
// end it returns io.EOF. A record longer than maxLine is ErrLineTooLong.
func (s *source) next(buf []byte) ([]byte, error) {
	if s.err != nil {
		return buf[:0], s.err
	}
	buf, s.err = s.cut(buf)
	return buf, s.err
}

func (s *source) cut(buf []byte) ([]byte, error) {
	if buf == nil {
		buf = make([]byte, 0, runBytes+1)
	}
	buf = append(buf[:0], s.tail...)
	s.tail = s.tail[:0]
	want := runBytes
	for {
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
		if cut := lastRecordEnd(buf); cut > 0 {
			s.tail = append(s.tail, buf[cut:]...)
			s.taken += int64(cut)
			return buf[:cut], nil
		}
		if len(buf) > s.maxLine {
			return buf[:0], ErrLineTooLong
		}
		want = min(2*len(buf), s.maxLine+1)
	}
}

// giveBack makes rest, the end of the run handed out last, the start of the next.
func (s *source) giveBack(rest []byte) {
	s.tail = append(bytes.Clone(rest), s.tail...)
	s.taken -= int64(len(rest))
}

// fill reads until buf holds want bytes or the stream ends.
func (s *source) fill(buf *[]byte, want int) error {
	b := *buf
	if cap(b) < want+1 { // one more for a line end that the file lacks
		b = append(make([]byte, 0, want+1), b...)
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

// lastRecordEnd returns the position after the last line end of b that is outside quotes,
// or 0. In a well-formed table a line end is outside exactly if the number of quotes
// before it is even; in any other table an earlier record is refused first.
func lastRecordEnd(b []byte) int {
	if bytes.IndexByte(b, '"') < 0 {
		return bytes.LastIndexByte(b, '\n') + 1
	}
	end, odd := 0, false
	for pos := 0; ; {
		k := bytes.IndexByte(b[pos:], '\n')
		if k < 0 {
			return end
		}
		if bytes.Count(b[pos:pos+k], []byte{'"'})%2 == 1 {
			odd = !odd
		}
		pos += k + 1
		if !odd {
			end = pos
		}
	}
}
