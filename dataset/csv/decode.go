package csv

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

// A decoder converts the text of a file to UTF-8 with line ends that contain an LF.
//
// If the encoding is not given, the first character outside ASCII decides for the whole file: UTF-8 if its
// bytes are valid, otherwise Windows-1252, which includes Latin-1. The result does not depend on how the reader
// splits the bytes.
type decoder struct {
	r        io.Reader
	encoding string
	begun    bool
	cr       bool   // lines end in CR only
	in       []byte // read but not decoded
	out      []byte // decoded but not returned
	made     []byte // memory of out if it differs from that of in
	err      error
	found    atomic.Bool // Windows-1252 was detected
}

func newDecoder(r io.Reader, encoding string) *decoder {
	d := &decoder{r: r, encoding: encoding}
	switch encoding {
	case "", "auto":
		d.r, d.encoding = FromUTF16(r), "auto"
	case "utf-16":
		d.r, d.encoding = &utf16Reader{r: r, always: true}, "utf-8"
	}
	return d
}

func (d *decoder) notes() []string {
	if d.found.Load() {
		return []string{"The text is not UTF-8; it is read as Windows-1252, of which Latin-1 is a part."}
	}
	return nil
}

func (d *decoder) Read(p []byte) (int, error) {
	if !d.begun {
		d.begin()
	}
	for len(d.out) == 0 && d.err == nil {
		if len(d.in) == 0 && (d.encoding == "utf-8" || d.encoding == "auto") {
			n, err := d.r.Read(p)
			if d.encoding == "auto" && !ascii(p[:n]) {
				d.in, d.err = append(d.in, p[:n]...), err
				d.decode()
				continue
			}
			d.lines(p[:n])
			return n, err
		}
		d.more(max(len(p), 512))
		d.decode()
	}
	n := copy(p, d.out)
	if d.out = d.out[n:]; len(d.out) == 0 {
		return n, d.err
	}
	return n, nil
}

// begin reads the start of the text to detect its line ends.
func (d *decoder) begin() {
	d.begun = true
	for len(d.in) < runBytes && d.err == nil && bytes.IndexByte(d.in, '\n') < 0 {
		d.more(1 << 15)
	}
	if d.encoding == "auto" && notText(d.in) != "" {
		d.encoding = "utf-8" // the caller already knows the encoding
	}
	d.cr = bytes.IndexByte(d.in, '\n') < 0 && bytes.IndexByte(d.in, '\r') >= 0
	d.decode()
}

// more reads up to size bytes and appends them to d.in.
func (d *decoder) more(size int) {
	have := len(d.in)
	d.in = slices.Grow(d.in, size)
	for idle := 0; idle < 100; idle++ {
		n, err := d.r.Read(d.in[have : have+size])
		d.in = d.in[:have+n]
		if d.err = err; n > 0 || err != nil {
			return
		}
	}
	d.err = io.ErrNoProgress
}

// decode converts d.in to d.out, which must be empty.
func (d *decoder) decode() {
	if d.encoding == "auto" {
		at := 0
		for at < len(d.in) && d.in[at] < utf8.RuneSelf {
			at++
		}
		switch letter := d.in[at:]; {
		case len(letter) == 0:
		case !utf8.FullRune(letter) && d.err == nil: // the rest of the character is not read yet
			d.made = append(d.made[:0], d.in[:at]...)
			d.in = d.in[:copy(d.in, letter)]
			d.out = d.made
			d.lines(d.out)
			return
		default:
			if r, size := utf8.DecodeRune(letter); r == utf8.RuneError && size == 1 {
				d.encoding = "windows-1252"
				d.found.Store(true)
			} else {
				d.encoding = "utf-8"
			}
		}
	}
	d.made = d.made[:0]
	if d.encoding == "latin-1" || d.encoding == "windows-1252" {
		d.made = fromSingleBytes(d.made, d.in, d.encoding == "windows-1252")
	} else {
		d.made = append(d.made, d.in...)
	}
	d.in, d.out = d.in[:0], d.made
	d.lines(d.out)
}

func ascii(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lines replaces each CR by an LF if lines end in CR only.
func (d *decoder) lines(b []byte) {
	if !d.cr {
		return
	}
	for i, c := range b {
		if c == '\r' {
			b[i] = '\n'
		}
	}
}

// windows1252 maps the bytes 0x80 to 0x9f to characters; the five undefined ones map to themselves. Reference:
// WHATWG Encoding Standard, index windows-1252.
var windows1252 = [32]rune{
	0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d, 0x8f,
	0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
}

// fromSingleBytes converts Latin-1 or Windows-1252 to UTF-8 and appends it.
func fromSingleBytes(out, in []byte, windows bool) []byte {
	for _, c := range in {
		switch {
		case c < utf8.RuneSelf:
			out = append(out, c)
		case c < 0xa0 && windows:
			out = utf8.AppendRune(out, windows1252[c-0x80])
		default:
			out = utf8.AppendRune(out, rune(c))
		}
	}
	return out
}

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
