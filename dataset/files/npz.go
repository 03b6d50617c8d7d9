package files

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"

	"github.com/polydag/polydag/dataset"
)

// npzFile is a zip of NPY arrays.
type npzFile struct {
	file    string
	at      io.ReaderAt
	size    int64
	opt     Settings
	members []*zip.File
	memory  budget // budget for the loaded arrays
}

// openNPZ reads the directory of a zip. If the zip has no arrays, the error names its content.
func openNPZ(file string, at io.ReaderAt, size int64, opt Settings) (*npzFile, error) {
	z, err := zip.NewReader(at, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, located(file, ErrDamaged, "%v", err)
	}
	z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return flate.NewReader(r) })
	f := &npzFile{file: file, at: at, size: size, opt: opt, memory: budget{file: file, limit: opt.MaxMemory}}
	for _, m := range z.File {
		switch {
		case strings.HasSuffix(m.Name, ".npy"):
			f.members = append(f.members, m)
		case m.Name == "[Content_Types].xml", strings.HasPrefix(m.Name, "xl/"):
			return nil, located(file, ErrFormat, "it is an office document: save the table as CSV UTF-8")
		case m.Name == "content.xml":
			return nil, located(file, ErrFormat, "it is an OpenDocument file: save the sheet as CSV")
		}
	}
	if len(f.members) == 0 {
		return nil, located(file, ErrFormat, "it is a zip archive without arrays: unzip it and name the table inside")
	}
	return f, nil
}

func (f *npzFile) member(name string) *zip.File {
	for _, m := range f.members {
		if m.Name == name+".npy" {
			return m
		}
	}
	return nil
}

// open returns the content of a member. A stored one is an io.ReaderAt.
func (f *npzFile) open(m *zip.File) (io.Reader, func() error, error) {
	if m.Method == zip.Store && m.Flags&1 == 0 && m.CompressedSize64 == m.UncompressedSize64 {
		off, err := m.DataOffset()
		if err != nil || off < 0 || m.UncompressedSize64 > uint64(f.size) || off > f.size-int64(m.UncompressedSize64) {
			return nil, nil, located(f.file, ErrDamaged, "the array %s lies outside the file", arrayName(m))
		}
		return io.NewSectionReader(f.at, off, int64(m.UncompressedSize64)), func() error { return nil }, nil
	}
	r, err := m.Open()
	if err != nil {
		return nil, nil, located(f.file, ErrDamaged, "array %s: %v", arrayName(m), err)
	}
	return r, r.Close, nil
}

func arrayName(m *zip.File) string { return strings.TrimSuffix(m.Name, ".npy") }

// openArray returns the header of a member, and its content after it.
func (f *npzFile) openArray(m *zip.File) (*npyHeader, io.Reader, func() error, error) {
	r, end, err := f.open(m)
	if err != nil {
		return nil, nil, nil, err
	}
	h, err := readNPYHeader(r)
	if err != nil {
		end()
		return nil, nil, nil, located(f.file, ErrDamaged, "array %s: %v", arrayName(m), err)
	}
	return h, r, end, nil
}

// header reads only the header of a member.
func (f *npzFile) header(m *zip.File) (*npyHeader, error) {
	h, _, end, err := f.openArray(m)
	if err == nil {
		end()
	}
	return h, err
}

// table returns the array named by Settings.Array, or the only 2-D numeric array.
func (f *npzFile) table() (dataset.Source, error) {
	var found *zip.File
	if f.opt.Array != "" {
		if found = f.member(f.opt.Array); found == nil {
			return nil, located(f.file, ErrNoTable, "there is no array %q; there are %s", f.opt.Array, f.list())
		}
	} else {
		for _, m := range f.members {
			h, err := f.header(m)
			if err != nil {
				return nil, err
			}
			if len(h.shape) != 2 || !h.numeric() {
				continue
			}
			if found != nil {
				return nil, located(f.file, ErrChoice, "the arrays %s and %s are both 2-D; set the array, there are %s", arrayName(found), arrayName(m), f.list())
			}
			found = m
		}
		if found == nil {
			return nil, located(f.file, ErrNoTable, "no array is 2-D with numbers; there are %s", f.list())
		}
	}
	names, err := f.columnNames()
	if err != nil {
		return nil, err
	}
	if names != nil {
		if h, err := f.header(found); err == nil && len(h.shape) == 2 && h.shape[1] != int64(len(names)) && f.opt.Array != "" {
			names = nil // the names belong to another array
		}
	}
	r, end, err := f.open(found)
	if err != nil {
		return nil, err
	}
	s, err := openNPY(f.file, r, int64(min(found.UncompressedSize64, math.MaxInt64)), names, f.opt)
	if err != nil {
		end()
		return nil, err
	}
	n := s.(*npySource)
	was := n.close
	n.close = func() error { return errors.Join(was(), end()) }
	return n, nil
}

// list names the arrays with their shapes, for errors.
func (f *npzFile) list() string {
	var out []string
	for i, m := range f.members {
		if i == 20 {
			out = append(out, fmt.Sprintf("and %d more", len(f.members)-i))
			break
		}
		shape := "(?)"
		if h, err := f.header(m); err == nil {
			shape = shapeText(h.shape)
		}
		out = append(out, arrayName(m)+" "+shape)
	}
	return strings.Join(out, ", ")
}

// columnNames returns the content of the array names or columns, or nil.
func (f *npzFile) columnNames() ([]string, error) {
	for _, name := range []string{"names", "columns"} {
		if m := f.member(name); m != nil {
			h, err := f.header(m)
			if err != nil {
				return nil, err
			}
			if h.kind == 'O' {
				return nil, located(f.file, ErrType, "the array %s holds Python objects; save it with np.array(%s, dtype=str)", name, name)
			}
			if len(h.shape) == 1 && (h.kind == 'U' || h.kind == 'S') {
				return f.strings(m)
			}
		}
	}
	return nil, nil
}

// load reads a small array of at most limit bytes.
func (f *npzFile) load(m *zip.File, limit int64) (*npyHeader, []byte, error) {
	h, r, end, err := f.openArray(m)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	n := h.elements()
	if n < 0 || h.size < 1 || n > limit/int64(h.size) {
		return nil, nil, located(f.file, ErrLimit, "the array %s has shape %s", arrayName(m), shapeText(h.shape))
	}
	if err := f.memory.take(n*int64(h.size), 0, "the array "+arrayName(m)); err != nil {
		return nil, nil, err
	}
	// Allocate only as bytes arrive, so that a claimed size alone takes no memory.
	data, err := io.ReadAll(io.LimitReader(r, n*int64(h.size)))
	if err == nil && int64(len(data)) < n*int64(h.size) {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		if k, e := io.ReadFull(r, make([]byte, 1)); k > 0 {
			err = errors.New("there is more after its last element")
		} else if e != io.EOF {
			err = e
		}
	}
	if err != nil {
		return nil, nil, located(f.file, ErrDamaged, "array %s: %v", arrayName(m), err)
	}
	return h, data, nil
}

// numbers reads a numeric array and returns it in row order.
func (f *npzFile) numbers(m *zip.File, limit int64) ([]float64, []int64, error) {
	h, data, err := f.load(m, limit)
	if err != nil {
		return nil, nil, err
	}
	if !h.numeric() {
		return nil, nil, located(f.file, ErrType, "the array %s holds %s", arrayName(m), h.what())
	}
	count := int64(len(data) / h.size)
	if err := f.memory.take(16*count, int64(len(data)), "the array "+arrayName(m)); err != nil { // an array in column order is copied once
		return nil, nil, err
	}
	x := make([]float64, count)
	h.loader()(x, 1, data, h.size)
	if h.fortran && len(h.shape) == 2 {
		r, c := int(h.shape[0]), int(h.shape[1])
		y := make([]float64, len(x))
		for i := range r {
			for j := range c {
				y[i*c+j] = x[j*r+i]
			}
		}
		x = y
	}
	return x, h.shape, nil
}

// stringBytes is the memory of a string besides its bytes: the header and allocator rounding.
const stringBytes = 32

// mostText limits the bytes of a text array.
const mostText = 64 << 20

// strings reads a text array, <U or |S.
func (f *npzFile) strings(m *zip.File) ([]string, error) {
	h, data, err := f.load(m, min(f.opt.MaxMemory, mostText))
	if err != nil {
		return nil, err
	}
	count := int64(len(data) / max(h.size, 1))
	if err := f.memory.take(stringBytes*count, 0, "the array "+arrayName(m)); err != nil {
		return nil, err
	}
	out := make([]string, 0, count)
	switch h.kind {
	case 'S', 'a':
		for s := range slices.Chunk(data, h.size) {
			out = append(out, strings.TrimRight(string(s), "\x00"))
		}
	case 'U':
		order := h.byteOrder()
		for s := range slices.Chunk(data, h.size) {
			var text []rune
			for k := 0; k < len(s); k += 4 {
				text = append(text, rune(order.Uint32(s[k:])))
			}
			out = append(out, strings.TrimRight(string(text), "\x00"))
		}
	default:
		return nil, located(f.file, ErrType, "the array %s has type %s, not text", arrayName(m), h.descr)
	}
	for _, s := range out {
		if !utf8.ValidString(s) {
			return nil, located(f.file, ErrDamaged, "the array %s holds text that is not UTF-8", arrayName(m))
		}
	}
	return out, nil
}
