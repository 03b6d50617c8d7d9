package provider

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxLine limits the length of a line; the longest line of these files is below 1 KiB.
const maxLine = 1 << 20

// unpack returns the text of r, decompressed if it is gzip, or an error that names the actual format.
func unpack(r io.Reader, file, want string) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(2)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if bytes.Equal(head, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("%s: damaged gzip data: %w; download it again", file, err)
		}
		b = bufio.NewReaderSize(z, 1<<16)
	}
	head, err = b.Peek(512)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if what := notText(head); what != "" {
		return nil, fmt.Errorf("%s is %s; expected %s", file, what, want)
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		b.Discard(3)
	}
	return b, nil
}

// notText describes the format of a file with this start if it is not a supported text, or returns "".
func notText(head []byte) string {
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if len(trimmed) == 0 {
		return "empty (download it again)"
	}
	for _, f := range []struct{ magic, what string }{
		{"<", "a web page (the link gave a page in place of the file, often one that asks to confirm or says that a quota is used up: open it in a browser and save the file itself)"},
		{"version https://git-lfs", "a Git LFS pointer (git lfs pull fetches the file behind it)"},
		{"PK\x03\x04", "a zip archive or an .xlsx spreadsheet (unzip it, or export the sheet as CSV)"},
		{"\xd0\xcf\x11\xe0", "an .xls spreadsheet (export the sheet as CSV)"},
		{"%PDF", "a PDF"},
		{"\x1f\x8b", "gzip data inside gzip (unpack it once)"},
		{"\xff\xfe", "UTF-16 text (save it as UTF-8)"},
		{"\xfe\xff", "UTF-16 text (save it as UTF-8)"},
	} {
		if bytes.HasPrefix(trimmed, []byte(f.magic)) {
			return f.what
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return "binary data"
	}
	return ""
}

// lines reads text line by line. It skips blank lines; CRLF and LF end a line.
type lines struct {
	s     *bufio.Scanner
	n     int  // number of the last line, from 1
	whole bool // the last line had a line end
}

func newLines(r io.Reader) *lines {
	l := &lines{s: bufio.NewScanner(r)}
	l.s.Buffer(make([]byte, 0, 1<<16), maxLine)
	l.s.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		advance, token, err := bufio.ScanLines(data, atEOF)
		if token != nil {
			l.whole = advance > 0 && data[advance-1] == '\n'
		}
		return advance, token, err
	})
	return l
}

// next returns the next nonblank line without its line end, or nil at the end. It is valid until the next call.
func (l *lines) next() []byte {
	for l.s.Scan() {
		l.n++
		if line := bytes.TrimSpace(l.s.Bytes()); len(line) > 0 {
			return line
		}
	}
	return nil
}

// err returns the error that ended the text: nil at its end, io.ErrUnexpectedEOF for truncated gzip data.
func (l *lines) err(file string) error {
	switch err := l.s.Err(); {
	case err == nil || errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s: line %d is longer than %d bytes; this is not the list", file, l.n+1, maxLine)
	default:
		return fmt.Errorf("%s: line %d: %w; download it again", file, l.n+1, err)
	}
}

// cutField returns the first field of a line, separated by spaces, tabs or commas, and the rest.
func cutField(line []byte) (field, rest []byte) {
	i := 0
	for i < len(line) && separates(line[i]) {
		i++
	}
	j := i
	for j < len(line) && !separates(line[j]) {
		j++
	}
	return line[i:j], line[j:]
}

func separates(c byte) bool { return c == ' ' || c == '\t' || c == ',' || c == '\r' }

func fields(line []byte) []string {
	var out []string
	for f, rest := cutField(line); len(f) > 0; f, rest = cutField(rest) {
		out = append(out, string(f))
	}
	return out
}

// shown truncates a field for a message.
func shown(field []byte) string {
	const most = 40
	if len(field) <= most {
		return string(field)
	}
	return strings.ToValidUTF8(string(field[:most]), "") + "…"
}

// count formats a number with thousands separators.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
