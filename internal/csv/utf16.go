package csv

import (
	"bufio"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// FromUTF16 returns r, or its text in UTF-8 if it begins with the byte order mark of UTF-16. Unpaired
// surrogates become the replacement character.
func FromUTF16(r io.Reader) io.Reader { return &utf16Reader{r: r} }

// A utf16Reader examines the first two bytes and then passes the bytes on or converts them.
type utf16Reader struct {
	r      io.Reader
	begun  bool
	always bool // also without a byte order mark
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	if !u.begun {
		u.begun = true
		in := bufio.NewReader(u.r)
		u.r = in
		head, _ := in.Peek(2) // Read returns the same error
		order := unicode.LittleEndian
		if len(head) > 0 && (head[0] == 0xfe || head[0] == 0) { // header characters are ASCII, with a high byte of 0
			order = unicode.BigEndian
		}
		if mark := string(head); u.always || mark == "\xff\xfe" || mark == "\xfe\xff" {
			u.r = unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(in)
		}
	}
	return u.r.Read(p)
}
