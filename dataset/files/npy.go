package files

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/polydag/polydag/dataset"
)

// npySource reads a 2-D array. Rows in C order are read in one piece, and native float64 directly into the batch. An array in
// Fortran order is read in pieces of its columns.
type npySource struct {
	frame
	file       string
	head       *npyHeader
	rows, cols int
	row        int // rows returned so far
	r          io.Reader
	at         io.ReaderAt // elements, for Fortran order
	scratch    []byte
	load       func(dst []float64, step int, src []byte, stride int)
	close      func() error
}

// openNPY reads an array from r, which has size bytes, or -1 if unknown. Fortran order needs an io.ReaderAt; otherwise r is
// spooled. names may be nil.
func openNPY(file string, r io.Reader, size int64, names []string, opt Settings) (dataset.Source, error) {
	h, err := readNPYHeader(r)
	if err != nil {
		return nil, located(file, ErrDamaged, "%v", err)
	}
	if !h.numeric() {
		return nil, located(file, ErrType, "it holds %s", h.what())
	}
	if len(h.shape) != 2 {
		return nil, located(file, ErrNoTable, "the array has shape %s; save a 2-D array, a row for each observation", shapeText(h.shape))
	}
	n, d := h.shape[0], h.shape[1]
	if d > int64(opt.MaxColumns) {
		return nil, located(file, dataset.ErrTooWide, "%d, limit %d", d, opt.MaxColumns)
	}
	total := h.elements()
	if total < 0 || n > math.MaxInt32*int64(1<<16) {
		return nil, located(file, ErrDamaged, "the array claims the shape %s", shapeText(h.shape))
	}
	if have := size - h.length; size >= 0 && have != total*int64(h.size) {
		return nil, located(file, ErrDamaged, "shape %s of %s takes %d bytes and there are %d", shapeText(h.shape), h.descr, total*int64(h.size), have)
	}
	columns := make([]dataset.Column, d)
	for j := range columns {
		columns[j] = dataset.Column{Name: fmt.Sprintf("x%d", j), Kind: h.columnKind()}
	}
	if names != nil {
		if int64(len(names)) != d {
			return nil, located(file, ErrDamaged, "%d names for an array with %d columns", len(names), d)
		}
		for j := range columns {
			columns[j].Name = names[j]
		}
	}
	s := &npySource{file: file, head: h, rows: int(n), cols: int(d), r: r, load: h.loader(), close: func() error { return nil }}
	if s.frame, err = newFrame(file, columns, opt); err != nil {
		return nil, err
	}
	if h.fortran && d > 1 && n > 1 {
		if at, ok := r.(io.ReaderAt); ok {
			s.at = io.NewSectionReader(at, h.length, total*int64(h.size))
		} else {
			kept := &spool{name: file, src: r, limit: opt.MaxSpool}
			s.at, s.close = kept, kept.Close
		}
	}
	return s, nil
}

func shapeText(shape []int64) string {
	return "(" + strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ") + ")"
}

func (h *npyHeader) columnKind() dataset.Kind {
	switch h.kind {
	case 'i', 'u':
		return dataset.Integer
	case 'b':
		return dataset.Bool
	}
	return dataset.Number
}

// npyNumbers converts an element of each supported type, by its kind and size.
var npyNumbers = map[string]func(order binary.ByteOrder, b []byte) float64{
	"f8": func(order binary.ByteOrder, b []byte) float64 { return math.Float64frombits(order.Uint64(b)) },
	"f4": func(order binary.ByteOrder, b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) },
	"f2": func(order binary.ByteOrder, b []byte) float64 { return float16(order.Uint16(b)) },
	"i1": func(_ binary.ByteOrder, b []byte) float64 { return float64(int8(b[0])) },
	"i2": func(order binary.ByteOrder, b []byte) float64 { return float64(int16(order.Uint16(b))) },
	"i4": func(order binary.ByteOrder, b []byte) float64 { return float64(int32(order.Uint32(b))) },
	"i8": func(order binary.ByteOrder, b []byte) float64 { return float64(int64(order.Uint64(b))) },
	"u1": func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) },
	"u2": func(order binary.ByteOrder, b []byte) float64 { return float64(order.Uint16(b)) },
	"u4": func(order binary.ByteOrder, b []byte) float64 { return float64(order.Uint32(b)) },
	"u8": func(order binary.ByteOrder, b []byte) float64 { return float64(order.Uint64(b)) },
	"b1": func(_ binary.ByteOrder, b []byte) float64 { return float64(min(b[0], 1)) },
}

// number returns the conversion of an element, or nil if its type is not a supported number.
func (h *npyHeader) number() func(order binary.ByteOrder, b []byte) float64 {
	return npyNumbers[fmt.Sprintf("%c%d", h.kind, h.size)]
}

// numeric reports whether the elements have a supported numeric type.
func (h *npyHeader) numeric() bool { return h.number() != nil }

// byteOrder returns the byte order of the elements.
func (h *npyHeader) byteOrder() binary.ByteOrder {
	if h.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// loader returns a function that converts elements stride bytes apart to numbers step entries apart.
func (h *npyHeader) loader() func(dst []float64, step int, src []byte, stride int) {
	if !h.big && h.kind == 'f' && h.size == 4 {
		return func(dst []float64, step int, src []byte, stride int) {
			for i, k := 0, 0; i < len(dst); i, k = i+step, k+stride {
				dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(src[k:])))
			}
		}
	}
	if !h.big && h.kind == 'f' && h.size == 8 {
		return func(dst []float64, step int, src []byte, stride int) {
			for i, k := 0, 0; i < len(dst); i, k = i+step, k+stride {
				dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[k:]))
			}
		}
	}
	number, order := h.number(), h.byteOrder()
	return func(dst []float64, step int, src []byte, stride int) {
		for i, k := 0, 0; i < len(dst); i, k = i+step, k+stride {
			dst[i] = number(order, src[k:])
		}
	}
}

// native reports whether elements are float64 in the byte order of this processor.
func (h *npyHeader) native() bool {
	return h.kind == 'f' && h.size == 8 && h.big == (binary.NativeEndian.Uint16([]byte{0, 1}) == 1)
}

func (s *npySource) Next(ctx context.Context, b *dataset.Batch) error {
	if err := s.begin(ctx, b); err != nil {
		return err
	}
	if s.row == s.rows {
		return s.finish()
	}
	width := s.cols * s.head.size
	n := min(s.rows-s.row, max(1, (1<<21)/max(width, 1)))
	var err error
	if s.at != nil {
		n = min(s.rows-s.row, max(n, 512))
		err = s.fortran(b, n)
	} else {
		err = s.plain(b, n)
	}
	if err != nil {
		b.Reset()
		return s.fault(err)
	}
	s.row += n
	b.Rows = n
	b.Bytes = s.head.length + int64(s.row)*int64(width)
	return nil
}

// finish checks the end of the array: the checksum of a compressed file, and that no bytes follow.
func (s *npySource) finish() error {
	if s.at != nil || s.r == nil {
		return io.EOF
	}
	n, err := io.ReadFull(s.r, make([]byte, 1))
	switch {
	case n > 0:
		return located(s.file, ErrDamaged, "there is more after the array of shape %s", shapeText(s.head.shape))
	case err != io.EOF:
		return s.fault(err)
	}
	s.r = nil
	return io.EOF
}

func (s *npySource) fault(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return located(s.file, ErrDamaged, "it ends within row %d of %d", s.row+1, s.rows)
	}
	return named(s.file, err)
}

func (s *npySource) plain(b *dataset.Batch, n int) error {
	d := len(s.chosen)
	b.Values = slices.Grow(b.Values, n*d)[:n*d]
	if s.head.native() && !s.selected {
		_, err := io.ReadFull(s.r, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(b.Values))), 8*len(b.Values)))
		return err
	}
	width := s.cols * s.head.size
	s.scratch = slices.Grow(s.scratch[:0], n*width)[:n*width]
	if _, err := io.ReadFull(s.r, s.scratch); err != nil {
		return err
	}
	if !s.selected {
		s.load(b.Values, 1, s.scratch, s.head.size)
		return nil
	}
	for k, j := range s.chosen {
		s.load(b.Values[k:], d, s.scratch[j*s.head.size:], width)
	}
	return nil
}

// fortran reads n rows as one piece of each selected column.
func (s *npySource) fortran(b *dataset.Batch, n int) error {
	d := len(s.chosen)
	b.Values = slices.Grow(b.Values, n*d)[:n*d]
	s.scratch = slices.Grow(s.scratch[:0], n*s.head.size)[:n*s.head.size]
	for k, j := range s.chosen {
		at := (int64(j)*int64(s.rows) + int64(s.row)) * int64(s.head.size)
		if got, err := s.at.ReadAt(s.scratch, at); got < len(s.scratch) {
			return err
		}
		s.load(b.Values[k:], d, s.scratch, s.head.size)
	}
	return nil
}

func (s *npySource) Close() error { return s.close() }
