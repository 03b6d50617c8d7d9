package files

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/polydag/polydag/dataset"
)

// momentsSchema marks a file written by WriteMoments.
const momentsSchema = "polydag.moments/1"

// WriteMoments writes moments, and a profile unless it is nil, as an NPZ file that numpy reads:
//
//	m = np.load("m.npz")
//	covariance = m["scatter"] / m["n"]
//
// Its arrays are schema (text), names (text, d), n (int64), mean, mean_low (d; the mean is their sum), scatter (d×d, Σ
// (x-mean)(x-mean)ᵀ), min, max (d) and profile (JSON as bytes). The same arguments give the same bytes.
func WriteMoments(w io.Writer, m *dataset.Moments, p *dataset.Profile) error {
	z, d := newNPZ(w), m.Dim()
	z.words("schema", []string{momentsSchema})
	z.words("names", m.Names, d)
	z.array("n", "<i8", int64(m.N))
	z.array("mean", "<f8", m.Mean, d)
	z.array("mean_low", "<f8", m.MeanLow(), d)
	z.array("scatter", "<f8", m.Stored().Scatter, d, d)
	z.array("min", "<f8", m.Min, d)
	z.array("max", "<f8", m.Max, d)
	if p != nil {
		b, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("the profile cannot be written: %w", err)
		}
		z.array("profile", "|u1", b, len(b))
	}
	return z.close()
}

// An npzWriter writes uncompressed NPY members without a time. After an error it writes nothing more.
type npzWriter struct {
	zip *zip.Writer
	err error
}

func newNPZ(w io.Writer) *npzWriter { return &npzWriter{zip: zip.NewWriter(w)} }

// add adds a member whose elements fill writes.
func (z *npzWriter) add(name, descr string, shape []int, fill func(io.Writer) error) {
	if z.err != nil {
		return
	}
	var w io.Writer
	if w, z.err = z.zip.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store}); z.err != nil {
		return
	}
	if _, z.err = w.Write(npyHead(descr, shape)); z.err == nil {
		z.err = fill(w)
	}
}

// array adds a number or a slice of numbers.
func (z *npzWriter) array(name, descr string, data any, shape ...int) {
	z.add(name, descr, shape, func(w io.Writer) error { return binary.Write(w, binary.LittleEndian, data) })
}

// words adds a member of text.
func (z *npzWriter) words(name string, words []string, shape ...int) {
	width := textWidth(words)
	z.add(name, fmt.Sprintf("<U%d", width), shape, func(w io.Writer) error {
		for _, s := range words {
			cells := make([]rune, width)
			copy(cells, []rune(s))
			if err := binary.Write(w, binary.LittleEndian, cells); err != nil {
				return err
			}
		}
		return nil
	})
}

func (z *npzWriter) close() error {
	if z.err != nil {
		return z.err
	}
	return z.zip.Close()
}

// npyHead returns the header of an NPY array, version 1.0, in C order.
func npyHead(descr string, shape []int) []byte {
	sizes := strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
	if len(shape) == 1 {
		sizes += ","
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, sizes)
	// The header ends with a line end and is padded to a multiple of 64 bytes.
	pad := 63 - (10+len(dict))%64
	head := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)+pad+1), byte((len(dict)+pad+1)>>8))
	return append(append(append(head, dict...), bytes.Repeat([]byte{' '}, pad)...), '\n')
}

// textWidth is the number of characters of the longest text, at least 1.
func textWidth(words []string) int {
	width := 1
	for _, s := range words {
		width = max(width, utf8.RuneCountInString(s))
	}
	return width
}

// writeNPZ writes the rows as array x, and the names as array names.
func writeNPZ(to io.Writer, t Content) error {
	z, d := newNPZ(to), len(t.Names)
	z.words("names", t.Names, d)
	z.add("x", "<f8", []int{t.Count, d}, func(w io.Writer) error { return writeFloats(w, t.Rows) })
	return z.close()
}

// ReadMoments reads a file written by WriteMoments, or an NPZ file from another program with covariance (d×d, divided by n and not
// n-1: np.cov(x, rowvar=False, bias=True)), n and names, and optionally mean, min and max. The profile is nil if the file has none.
// file is the name in errors.
func ReadMoments(file string, r io.ReaderAt, size int64) (*dataset.Moments, *dataset.Profile, error) {
	z, err := openNPZ(file, r, size, DefaultSettings())
	if err != nil {
		return nil, nil, err
	}
	return z.moments()
}

// holdsMoments reports whether the file has the members of a moments file.
func (f *npzFile) holdsMoments() bool {
	return f.member("n") != nil && (f.member("schema") != nil && f.member("scatter") != nil || f.member("covariance") != nil)
}

func (f *npzFile) moments() (*dataset.Moments, *dataset.Profile, error) {
	if !f.holdsMoments() {
		return nil, nil, located(f.file, ErrNoTable, "saved moments have the arrays n, names and scatter or covariance; there are %s", f.list())
	}
	if m := f.member("schema"); m != nil {
		s, err := f.strings(m)
		if err != nil {
			return nil, nil, err
		}
		if len(s) != 1 || s[0] != momentsSchema {
			return nil, nil, located(f.file, ErrFormat, "its schema is %q, this program reads %q", s, momentsSchema)
		}
	}
	n, err := f.count()
	if err != nil {
		return nil, nil, err
	}
	matrix := "scatter"
	if f.member(matrix) == nil {
		matrix = "covariance"
	}
	// The d×d numbers must be in the file, so limit the memory by the file size and a plausible compression ratio.
	x, shape, err := f.numbers(f.member(matrix), min(f.opt.MaxMemory, max(f.opt.MaxMemory/4, 16*f.size)))
	if err != nil {
		return nil, nil, err
	}
	if len(shape) != 2 || shape[0] != shape[1] || shape[0] == 0 {
		return nil, nil, located(f.file, ErrDamaged, "%s has shape %s, want a square matrix", matrix, shapeText(shape))
	}
	d := int(shape[0])
	if matrix == "covariance" {
		for i := range x {
			x[i] *= float64(n)
		}
	}
	names, err := f.columnNames()
	if err != nil {
		return nil, nil, err
	}
	if names == nil {
		for j := range d {
			names = append(names, fmt.Sprintf("x%d", j))
		}
	}
	part := map[string][]float64{}
	for _, name := range []string{"mean", "mean_low", "min", "max"} {
		if m := f.member(name); m != nil {
			if part[name], _, err = f.numbers(m, int64(16*d)); err != nil {
				return nil, nil, err
			}
		}
	}
	if part["mean"] == nil {
		part["mean"] = make([]float64, d)
	}
	m, err := dataset.RestoreMoments(names, n, part["mean"], part["mean_low"], x, part["min"], part["max"])
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.file, err)
	}
	p, err := f.profile()
	return m, p, err
}

// count reads n, a whole number in an array of one element.
func (f *npzFile) count() (int, error) {
	x, _, err := f.numbers(f.member("n"), 64)
	if err != nil {
		return 0, err
	}
	if len(x) != 1 || !(x[0] >= 1) || x[0] > 1<<53 || x[0] != math.Trunc(x[0]) {
		return 0, located(f.file, ErrDamaged, "n is %v, want the number of rows", x)
	}
	return int(x[0]), nil
}

func (f *npzFile) profile() (*dataset.Profile, error) {
	m := f.member("profile")
	if m == nil {
		return nil, nil
	}
	_, data, err := f.load(m, 256<<20)
	if err != nil {
		return nil, err
	}
	p := &dataset.Profile{}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, located(f.file, ErrDamaged, "the profile cannot be read: %v", err)
	}
	return p, nil
}
