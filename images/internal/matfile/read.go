package matfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/klauspost/compress/zlib"
)

const (
	mostBytes = 256 << 20 // the most bytes of a file after decompression, and of the arrays in memory
	mostDepth = 4         // the deepest nesting of cells
	cellBytes = 128       // memory of an array beside its content
)

// ErrFormat is matched by the error for a file that is damaged or not of level 5.
var ErrFormat = errors.New("not a MATLAB file of level 5")

// An Array is a variable of a file or a cell of another array.
type Array struct {
	Name       string
	Rows, Cols int       // the first dimension, and the product of the others
	Numbers    []float64 // by column; nil for arrays without numbers. Imaginary parts are left out.
	Text       string    // the text of a char array with one row
	Cells      []Array   // by column
	// Other is true for an array whose content was not read.
	Other bool
}

// Read reads all variables of a file.
func Read(r io.Reader) ([]Array, error) { return read(r, mostBytes) }

func read(r io.Reader, most int64) ([]Array, error) {
	head := make([]byte, 128)
	if _, err := io.ReadFull(r, head); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = ErrFormat
		}
		return nil, err
	}
	d := &decoder{in: r, left: most}
	switch string(head[126:]) {
	case "IM":
		d.order = binary.LittleEndian
	case "MI":
		d.order = binary.BigEndian
	}
	switch {
	case strings.HasPrefix(string(head), "MATLAB 7.3"):
		return nil, fmt.Errorf("%w: it is of version 7.3; in MATLAB, save it with -v7", ErrFormat)
	case d.order == nil || d.order.Uint16(head[124:]) != 0x0100:
		return nil, ErrFormat
	}
	var out []Array
	for {
		a, err := d.variable()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if a != nil {
			out = append(out, *a)
		}
	}
}

// The types of elements.
const (
	miInt8 = 1 + iota
	miUint8
	miInt16
	miUint16
	miInt32
	miUint32
	miSingle
	_
	miDouble
	_
	_
	miInt64
	miUint64
	miMatrix
	miCompressed
	miUTF8
	miUTF16
	miUTF32
)

// decoder reads elements.
type decoder struct {
	in    io.Reader
	order binary.ByteOrder
	left  int64 // bytes that may still be read
}

// damaged returns an error about the content.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// charge counts bytes that are read or needed.
func (d *decoder) charge(n int64) error {
	if d.left -= n; d.left < 0 {
		return damaged("it is too large")
	}
	return nil
}

// element is the start of an element. content has the bytes of a small one, nil otherwise.
type element struct {
	kind, size uint32
	content    []byte
}

// next reads the start of an element. It returns io.EOF only at the end of the input.
func (d *decoder) next() (e element, err error) {
	var b [8]byte
	if n, err := io.ReadFull(d.in, b[:]); err != nil {
		if n > 0 {
			return e, damaged("the file is truncated")
		}
		return e, err
	}
	if err := d.charge(8); err != nil {
		return e, err
	}
	e.kind, e.size = d.order.Uint32(b[:]), d.order.Uint32(b[4:])
	if small := e.kind >> 16; small != 0 { // up to four bytes are part of the start
		if small > 4 {
			return e, damaged("an element of type %d", e.kind)
		}
		e.kind, e.size, e.content = e.kind&0xffff, small, b[4:4+small]
	}
	return e, nil
}

// bytes reads the content of an element and its padding to a multiple of 8.
func (d *decoder) bytes(e element) ([]byte, error) {
	if e.content != nil {
		return e.content, nil
	}
	padded := (int64(e.size) + 7) &^ 7
	if err := d.charge(padded); err != nil {
		return nil, err
	}
	// ReadAll allocates for the bytes that are there.
	b, err := io.ReadAll(io.LimitReader(d.in, padded))
	if err == nil && int64(len(b)) < int64(e.size) {
		err = damaged("the file is truncated")
	}
	if err != nil {
		return nil, err
	}
	return b[:e.size], nil
}

// variable reads an element of the file. It returns nil for one that is not an array.
func (d *decoder) variable() (*Array, error) {
	e, err := d.next()
	if err != nil {
		return nil, err
	}
	if e.kind != miCompressed {
		return d.array(e, 0)
	}
	part := io.LimitReader(d.in, int64(e.size))
	z, err := zlib.NewReader(part)
	if err != nil {
		return nil, damaged("compressed data: %v", err)
	}
	defer z.Close()
	inner := &decoder{in: z, order: d.order, left: d.left}
	if e, err = inner.next(); err != nil {
		return nil, damaged("compressed data: %v", err)
	}
	a, err := inner.array(e, 0)
	d.left = inner.left
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, part) // the checksum
	return a, err
}

// array reads an element that is an array, and skips others.
func (d *decoder) array(e element, depth int) (*Array, error) {
	if e.kind != miMatrix {
		_, err := d.bytes(e)
		return nil, err
	}
	if e.size == 0 || e.content != nil {
		return &Array{}, nil
	}
	part := &io.LimitedReader{R: d.in, N: int64(e.size)}
	own := &decoder{in: part, order: d.order, left: d.left}
	a, err := own.content(depth)
	d.left = own.left
	if err == io.EOF {
		err = damaged("the file is truncated")
	}
	if err == nil {
		err = d.charge(part.N)
	}
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, part)
	return a, err
}

// part reads the next element, which must be of one of the kinds.
func (d *decoder) part(what string, kinds ...uint32) (b []byte, kind uint32, err error) {
	e, err := d.next()
	if err != nil {
		return nil, 0, err
	}
	if !slices.Contains(kinds, e.kind) {
		return nil, 0, damaged("the %s of an array are of type %d", what, e.kind)
	}
	b, err = d.bytes(e)
	return b, e.kind, err
}

// The classes of arrays.
const (
	mxCell   = 1
	mxChar   = 4
	mxDouble = 6
	mxUint64 = 15
)

// content reads the parts of an array.
func (d *decoder) content(depth int) (*Array, error) {
	if depth > mostDepth {
		return nil, damaged("cells are nested more than %d times", mostDepth)
	}
	flags, _, err := d.part("flags", miUint32)
	if err != nil {
		return nil, err
	}
	if len(flags) < 4 {
		return nil, damaged("an array without a class")
	}
	dims, _, err := d.part("dimensions", miInt32)
	if err != nil {
		return nil, err
	}
	a := &Array{}
	size, err := a.dimensions(d.order, dims)
	if err != nil {
		return nil, err
	}
	name, _, err := d.part("letters of the name", miInt8, miUint8, miUTF8)
	if err != nil {
		return nil, err
	}
	a.Name = string(name)
	switch class := d.order.Uint32(flags) & 0xff; {
	case class == mxCell:
		return a, d.cells(a, size, depth)
	case class == mxChar:
		return a, d.text(a, size)
	case class >= mxDouble && class <= mxUint64:
		return a, d.numbers(a, size)
	}
	a.Other = true
	return a, nil
}

// dimensions sets Rows and Cols and returns their product.
func (a *Array) dimensions(order binary.ByteOrder, b []byte) (size int64, err error) {
	if len(b) < 8 || len(b)%4 != 0 {
		return 0, damaged("%d bytes of dimensions", len(b))
	}
	size = 1
	for k := 0; k < len(b); k += 4 {
		n := int64(int32(order.Uint32(b[k:])))
		if n < 0 || n > 0 && size > mostBytes/n {
			return 0, damaged("an array has too many values")
		}
		if size *= n; k == 0 {
			a.Rows = int(n)
		}
	}
	if a.Rows > 0 {
		a.Cols = int(size) / a.Rows
	}
	return size, nil
}

// cells reads the cells of an array.
func (d *decoder) cells(a *Array, size int64, depth int) error {
	for range size {
		if err := d.charge(cellBytes); err != nil {
			return err
		}
		e, err := d.next()
		if err != nil {
			return err
		}
		cell, err := d.array(e, depth+1)
		if err != nil {
			return err
		}
		if cell == nil {
			return damaged("a cell is of type %d", e.kind)
		}
		a.Cells = append(a.Cells, *cell)
	}
	return nil
}

// text reads the letters of a char array.
func (d *decoder) text(a *Array, size int64) error {
	b, kind, err := d.part("letters", miInt8, miUint8, miUint16, miUTF8, miUTF16, miUTF32)
	if err != nil {
		return err
	}
	if a.Rows > 1 {
		a.Other = true
		return nil
	}
	switch kind {
	case miUTF8:
		a.Text = string(b)
	case miInt8, miUint8: // Latin-1
		letters := make([]rune, len(b))
		for k, c := range b {
			letters[k] = rune(c)
		}
		a.Text = string(letters)
	case miUint16, miUTF16:
		letters := make([]uint16, len(b)/2)
		for k := range letters {
			letters[k] = d.order.Uint16(b[2*k:])
		}
		a.Text = string(utf16.Decode(letters))
	default:
		letters := make([]rune, len(b)/4)
		for k := range letters {
			letters[k] = rune(d.order.Uint32(b[4*k:]))
		}
		a.Text = string(letters)
	}
	if int64(len(a.Text)) < size {
		return damaged("a text has %d bytes for %d letters", len(a.Text), size)
	}
	return nil
}

// numberTypes are the types of numbers, with their bytes.
var numberTypes = map[uint32]struct {
	width int64
	read  func(order binary.ByteOrder, b []byte) float64
}{
	miInt8:   {1, func(_ binary.ByteOrder, b []byte) float64 { return float64(int8(b[0])) }},
	miUint8:  {1, func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) }},
	miInt16:  {2, func(order binary.ByteOrder, b []byte) float64 { return float64(int16(order.Uint16(b))) }},
	miUint16: {2, func(order binary.ByteOrder, b []byte) float64 { return float64(order.Uint16(b)) }},
	miInt32:  {4, func(order binary.ByteOrder, b []byte) float64 { return float64(int32(order.Uint32(b))) }},
	miUint32: {4, func(order binary.ByteOrder, b []byte) float64 { return float64(order.Uint32(b)) }},
	miSingle: {4, func(order binary.ByteOrder, b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }},
	miDouble: {8, func(order binary.ByteOrder, b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }},
	miInt64:  {8, func(order binary.ByteOrder, b []byte) float64 { return float64(int64(order.Uint64(b))) }},
	miUint64: {8, func(order binary.ByteOrder, b []byte) float64 { return float64(order.Uint64(b)) }},
}

// numbers reads the real parts of an array. Their type may be smaller than that of the array.
func (d *decoder) numbers(a *Array, size int64) error {
	b, kind, err := d.part("numbers", slices.Collect(maps.Keys(numberTypes))...)
	if err != nil {
		return err
	}
	number := numberTypes[kind]
	if int64(len(b)) != size*number.width {
		return damaged("%d bytes for %d numbers of %d bytes", len(b), size, number.width)
	}
	if err := d.charge(8 * size); err != nil {
		return err
	}
	a.Numbers = make([]float64, 0, size)
	for value := range slices.Chunk(b, int(number.width)) {
		a.Numbers = append(a.Numbers, number.read(d.order, value))
	}
	return nil
}
