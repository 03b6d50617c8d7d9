package csv

import (
	"bytes"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// FromUTF16 returns r, or its text in UTF-8 where it begins with the byte order mark of UTF-16. Two halves of a character
// that do not belong together become the replacement character.
func FromUTF16(r io.Reader) io.Reader { return &utf16Reader{r: r} }

// A utf16Reader looks at the first two bytes and then passes on what it reads, or converts it.
type utf16Reader struct {
	r       io.Reader
	begun   bool
	always  bool // also without a byte order mark
	big     bool // high byte first
	convert bool
	in      []byte // read and not converted: a part of a character
	out     []byte // converted and not handed out
	err     error
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	if !u.begun {
		u.begin()
	}
	if !u.convert && len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		return u.r.Read(p)
	}
	for len(u.out) == 0 && u.err == nil {
		u.fill(len(p))
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	if len(u.out) == 0 {
		return n, u.err
	}
	return n, nil
}

// begin reads two bytes, or what there is.
func (u *utf16Reader) begin() {
	u.begun = true
	head := make([]byte, 2)
	n := 0
	for idle := 0; n < len(head) && u.err == nil; {
		var k int
		k, u.err = u.r.Read(head[n:])
		if n += k; k > 0 {
			idle = 0
		} else if idle++; u.err == nil && idle == 100 {
			u.err = io.ErrNoProgress
		}
	}
	switch {
	case bytes.Equal(head[:n], []byte{0xff, 0xfe}):
		u.convert = true
	case bytes.Equal(head[:n], []byte{0xfe, 0xff}):
		u.convert, u.big = true, true
	case u.always: // the letters of a header are ASCII, with a high byte of 0
		u.convert, u.big, u.in = true, n > 0 && head[0] == 0, head[:n]
	default:
		u.out = head[:n]
	}
}

// fill converts about size bytes more. A half of a pair at the end waits for the other.
func (u *utf16Reader) fill(size int) {
	have := len(u.in)
	buf := append(u.in, make([]byte, max(size, 512))...)
	n, err := u.r.Read(buf[have:])
	buf = buf[:have+n]
	u.out = u.out[:0]
	i := 0
	for ; i+1 < len(buf); i += 2 {
		c := u.unit(buf[i:])
		if !utf16.IsSurrogate(c) {
			u.out = utf8.AppendRune(u.out, c)
			continue
		}
		if i+3 >= len(buf) && err == nil {
			break
		}
		r := rune(utf8.RuneError)
		if i+3 < len(buf) {
			if r = utf16.DecodeRune(c, u.unit(buf[i+2:])); r != utf8.RuneError {
				i += 2
			}
		}
		u.out = utf8.AppendRune(u.out, r)
	}
	if u.err = err; err != nil && i < len(buf) {
		u.out = utf8.AppendRune(u.out, utf8.RuneError) // a byte without its other
		i = len(buf)
	}
	u.in = append(u.in[:0], buf[i:]...)
}

func (u *utf16Reader) unit(b []byte) rune {
	if u.big {
		return rune(b[0])<<8 | rune(b[1])
	}
	return rune(b[1])<<8 | rune(b[0])
}
