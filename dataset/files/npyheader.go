package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// npyHeader is what an NPY file says of its array.
// Reference: numpy.lib.format, versions 1.0 to 3.0.
type npyHeader struct {
	kind    byte // f, i, u, b, U, S; else as in descr
	size    int  // bytes of an element
	big     bool // big endian
	fortran bool // columns are stored one after another
	shape   []int64
	descr   string
	length  int64 // of the header, magic included
}

// maxNPYHeader bounds the text of a header; numpy itself stops at 10,000 by default.
const maxNPYHeader = 1 << 16

// readNPYHeader reads a header. Its errors are plain text for the detail of a fault.
func readNPYHeader(r io.Reader) (*npyHeader, error) {
	var fixed [10]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil {
		return nil, errors.New("the NPY header ends early")
	}
	if string(fixed[:6]) != "\x93NUMPY" {
		return nil, errors.New("it does not start with the NPY mark")
	}
	n, at := int64(binary.LittleEndian.Uint16(fixed[8:])), int64(10)
	if fixed[6] > 1 {
		var more [2]byte
		if _, err := io.ReadFull(r, more[:]); err != nil {
			return nil, errors.New("the NPY header ends early")
		}
		n, at = n|int64(binary.LittleEndian.Uint16(more[:]))<<16, 12
	}
	if fixed[6] < 1 || fixed[6] > 3 {
		return nil, fmt.Errorf("NPY version %d.%d is not known", fixed[6], fixed[7])
	}
	if n > maxNPYHeader {
		return nil, fmt.Errorf("the NPY header claims %d bytes", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, errors.New("the NPY header ends early")
	}
	h, err := parseNPYHeader(string(text))
	if err != nil {
		return nil, fmt.Errorf("the NPY header cannot be read: %w", err)
	}
	h.length = at + n
	return h, nil
}

// parseNPYHeader reads the Python dictionary of a header.
func parseNPYHeader(s string) (*npyHeader, error) {
	p := pythonLiteral{s: s}
	h := &npyHeader{}
	seen := map[string]bool{}
	p.expect('{')
	for !p.accept('}') {
		key := p.str()
		p.expect(':')
		switch key {
		case "descr":
			if p.peek() == '[' {
				h.descr = p.list()
				h.kind = 'V'
			} else {
				h.setType(p.str())
			}
		case "fortran_order":
			h.fortran = p.boolean()
		case "shape":
			h.shape = p.tuple()
		default:
			return nil, fmt.Errorf("unknown key %q", key)
		}
		if p.err != nil {
			return nil, p.err
		}
		seen[key] = true
		if !p.accept(',') && p.peek() != '}' {
			return nil, errors.New("a comma is missing")
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	if len(seen) != 3 {
		return nil, errors.New("descr, fortran_order or shape is missing")
	}
	return h, nil
}

// setType reads a descr such as <f8.
func (h *npyHeader) setType(descr string) {
	h.descr = descr
	s := strings.TrimLeft(descr, "<>=|")
	h.big = strings.HasPrefix(descr, ">")
	if s == "" {
		return
	}
	if s == "?" {
		s = "b1"
	}
	h.kind = s[0]
	if n, err := strconv.Atoi(s[1:]); err == nil && n >= 0 && n <= 1<<24 {
		h.size = n
	}
	if h.kind == 'U' {
		h.size *= 4
	}
}

// numeric reports whether the elements are numbers that are read.
func (h *npyHeader) numeric() bool {
	switch h.kind {
	case 'f':
		return h.size == 2 || h.size == 4 || h.size == 8
	case 'i', 'u':
		return h.size == 1 || h.size == 2 || h.size == 4 || h.size == 8
	case 'b':
		return h.size == 1
	}
	return false
}

// what names the element type for an error.
func (h *npyHeader) what() string {
	switch {
	case h.kind == 'V':
		return "a structured array: save the fields as columns of one 2-D array"
	case h.kind == 'O':
		return "an array of Python objects: convert it with astype(float)"
	case h.kind == 'c':
		return "complex numbers: save real and imaginary parts as columns"
	case h.kind == 'U' || h.kind == 'S' || h.kind == 'a':
		return "text: save a table with text as CSV or Parquet"
	case h.kind == 'M' || h.kind == 'm':
		return "dates or durations: convert them with astype('int64')"
	}
	return fmt.Sprintf("elements of type %q: convert them with astype(float)", h.descr)
}

// elements returns the product of the shape, or -1 where it overflows.
func (h *npyHeader) elements() int64 {
	n := int64(1)
	for _, k := range h.shape {
		if k == 0 {
			return 0
		}
	}
	for _, k := range h.shape {
		if n > math.MaxInt64/16/k {
			return -1
		}
		n *= k
	}
	return n
}

// pythonLiteral reads the few forms that a header has. After an error every call returns zero.
type pythonLiteral struct {
	s   string
	pos int
	err error
}

func (p *pythonLiteral) peek() byte {
	for p.pos < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.pos]) >= 0 {
		p.pos++
	}
	if p.pos >= len(p.s) || p.err != nil {
		return 0
	}
	return p.s[p.pos]
}

func (p *pythonLiteral) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("want %s at byte %d", want, p.pos+1)
	}
	p.pos = len(p.s)
}

func (p *pythonLiteral) accept(c byte) bool {
	if p.peek() != c {
		if p.peek() == 0 {
			p.fail(string(c))
			return c == '}' || c == ')'
		}
		return false
	}
	p.pos++
	return true
}

func (p *pythonLiteral) expect(c byte) {
	if p.peek() != c {
		p.fail(string(c))
		return
	}
	p.pos++
}

func (p *pythonLiteral) str() string {
	q := p.peek()
	if q != '\'' && q != '"' {
		p.fail("text")
		return ""
	}
	end := strings.IndexByte(p.s[p.pos+1:], q)
	if end < 0 {
		p.fail("the end of a text")
		return ""
	}
	s := p.s[p.pos+1 : p.pos+1+end]
	p.pos += end + 2
	return s
}

func (p *pythonLiteral) boolean() bool {
	p.peek()
	for _, w := range []string{"True", "False"} {
		if p.pos < len(p.s) && strings.HasPrefix(p.s[p.pos:], w) {
			p.pos += len(w)
			return w == "True"
		}
	}
	p.fail("True or False")
	return false
}

func (p *pythonLiteral) tuple() []int64 {
	p.expect('(')
	shape := []int64{}
	for !p.accept(')') {
		p.peek()
		end := p.pos
		for end < len(p.s) && p.s[end] >= '0' && p.s[end] <= '9' {
			end++
		}
		n, err := strconv.ParseInt(p.s[p.pos:end], 10, 64)
		if err != nil || len(shape) == 32 {
			p.fail("a size")
			return nil
		}
		shape = append(shape, n)
		if p.pos = end; p.pos < len(p.s) && p.s[p.pos] == 'L' { // Python 2
			p.pos++
		}
		if !p.accept(',') && p.peek() != ')' {
			p.fail(")")
			return nil
		}
	}
	return shape
}

// list passes over a bracketed list and returns its text.
func (p *pythonLiteral) list() string {
	start, depth := p.pos, 0
	for ; p.pos < len(p.s); p.pos++ {
		switch p.s[p.pos] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				p.pos++
				return p.s[start:p.pos]
			}
		}
	}
	p.fail("]")
	return ""
}
