package files

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// npyHeader describes the array of an NPY file. Reference: numpy.lib.format, versions 1.0 to 3.0.
type npyHeader struct {
	kind    byte // f, i, u, b, U or S; otherwise as in descr
	size    int  // bytes per element
	big     bool // big endian
	fortran bool // columns are stored one after another
	shape   []int64
	descr   string
	length  int64 // length of the header, including the magic number
}

// maxNPYHeader limits the length of a header; numpy's own default limit is 10,000.
const maxNPYHeader = 1 << 16

// readNPYHeader reads a header. Its errors are the details of a ParseError.
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

// npyEntry matches one entry of a header, a Python dictionary: descr, fortran_order or shape.
var npyEntry = regexp.MustCompile(`^['"](?:descr['"]\s*:\s*(['"][^'"]*['"]|\[.*\])|fortran_order['"]\s*:\s*(True|False)|shape['"]\s*:\s*(\([\dL,\s]*\)))\s*(?:,\s*|$)`)

func parseNPYHeader(s string) (*npyHeader, error) {
	s, opened := strings.CutPrefix(strings.TrimSpace(s), "{")
	s, closed := strings.CutSuffix(s, "}")
	if !opened || !closed {
		return nil, errors.New("it is not a dictionary")
	}
	var descr, order, shape string
	for s = strings.TrimSpace(s); s != ""; {
		m := npyEntry.FindStringSubmatch(s)
		if m == nil {
			return nil, fmt.Errorf("want an entry descr, fortran_order or shape at %.30q", s)
		}
		descr, order, shape = cmp.Or(m[1], descr), cmp.Or(m[2], order), cmp.Or(m[3], shape)
		s = s[len(m[0]):]
	}
	if descr == "" || order == "" || shape == "" {
		return nil, errors.New("descr, fortran_order or shape is missing")
	}
	h := &npyHeader{fortran: order == "True"}
	if descr[0] == '[' {
		h.descr, h.kind = descr, 'V'
	} else {
		h.setType(descr[1 : len(descr)-1])
	}
	for _, size := range strings.FieldsFunc(shape, func(c rune) bool { return c < '0' || c > '9' }) { // Python 2 writes 3L
		n, err := strconv.ParseInt(size, 10, 64)
		if err != nil {
			return nil, err
		}
		h.shape = append(h.shape, n)
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

// what names the element type in errors.
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

// elements returns the product of the shape, or -1 on overflow.
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
