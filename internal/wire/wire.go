// Package wire writes and reads the states of interrupted runs: integers as varints, floats bit by bit, little
// endian.
//
//	w := wire.NewWriter("order/1")
//	w.Int(42)
//	r := wire.NewReader("order/1", w.Seal())
//	n := r.Int() // and r.Close() once, at the end
//
// A state ends with a checksum, so that a damaged one is refused before it is used. A Reader never panics and
// never allocates more than its input allows. After the first fault every read returns zero, and Close returns
// the error.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"unsafe"
)

// Writer collects a state.
type Writer struct{ b []byte }

// NewWriter starts a state with the name of its layout.
func NewWriter(layout string) *Writer {
	w := &Writer{}
	w.Raw([]byte(layout))
	return w
}

// Seal adds the checksum and returns the whole.
func (w *Writer) Seal() []byte {
	w.b = binary.LittleEndian.AppendUint32(w.b, crc32.Checksum(w.b, castagnoli()))
	return w.b
}

// castagnoli is the polynomial that processors have an instruction for.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// Grow makes room for n more bytes at once.
func (w *Writer) Grow(n int) { w.b = slices.Grow(w.b, n) }

// Int writes an integer as a varint.
func (w *Writer) Int(v int) { w.b = binary.AppendVarint(w.b, int64(v)) }

// Uint64 writes all bits of v.
func (w *Writer) Uint64(v uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, v) }

// Float writes the bits of v.
func (w *Writer) Float(v float64) { w.Uint64(math.Float64bits(v)) }

// Bool writes one byte.
func (w *Writer) Bool(v bool) {
	n := 0
	if v {
		n = 1
	}
	w.Int(n)
}

// Raw writes bytes and their number.
func (w *Writer) Raw(b []byte) {
	w.Int(len(b))
	w.b = append(w.b, b...)
}

// integer is what Ints takes.
type integer interface{ ~int | ~int32 | ~uint32 }

// Ints writes a list.
func Ints[I integer](w *Writer, xs []I) {
	w.Int(len(xs))
	for _, x := range xs {
		w.Int(int(x))
	}
}

// Floats writes the bits of a list.
func Floats[T float32 | float64](w *Writer, xs []T) {
	w.Int(len(xs))
	w.b, _ = binary.Append(w.b, binary.LittleEndian, xs) // cannot fail on floats
}

// Reader reads what a Writer wrote, in the same order.
type Reader struct {
	rest []byte
	err  error
}

// ErrState is matched by every error of Close.
var ErrState = errors.New("the state cannot be read")

// NewReader begins to read. A wrong checksum and another layout are faults.
func NewReader(layout string, b []byte) *Reader {
	n := len(b) - crc32.Size
	if n < 0 || crc32.Checksum(b[:n], castagnoli()) != binary.LittleEndian.Uint32(b[n:]) {
		r := &Reader{}
		r.Fail("its checksum is wrong: it is damaged")
		return r
	}
	r := &Reader{rest: b[:n]}
	if got := string(r.Raw()); r.err == nil && got != layout {
		r.Fail("its layout is %.20q, this version reads %q", got, layout)
	}
	return r
}

// Fail notes a fault of the content, unless there was one before.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: "+format, append([]any{ErrState}, args...)...)
	}
}

// Err returns the first fault so far.
func (r *Reader) Err() error { return r.err }

// Close returns the first fault; bytes that are left are one.
func (r *Reader) Close() error {
	if r.err == nil && len(r.rest) > 0 {
		r.Fail("%d bytes are left over", len(r.rest))
	}
	return r.err
}

// Int reads an integer.
func (r *Reader) Int() int {
	if r.err != nil {
		return 0
	}
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.Fail("it is cut off")
		return 0
	}
	r.rest = r.rest[n:]
	return int(v)
}

// Between reads an integer and checks its range, both ends included.
func (r *Reader) Between(low, high int) int {
	v := r.Int()
	if r.err == nil && (v < low || v > high) {
		r.Fail("%d is outside %d..%d", v, low, high)
	}
	if r.err != nil {
		return low
	}
	return v
}

// take returns the next n items of the given size in bytes.
func (r *Reader) take(n, size int) []byte {
	if r.err == nil && (n < 0 || n > len(r.rest)/size) {
		r.Fail("it is cut off")
	}
	if r.err != nil {
		return nil
	}
	b := r.rest[: n*size : n*size]
	r.rest = r.rest[n*size:]
	return b
}

// Uint64 reads 64 bits.
func (r *Reader) Uint64() uint64 {
	if b := r.take(1, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Float reads a float.
func (r *Reader) Float() float64 { return math.Float64frombits(r.Uint64()) }

// Bool reads a bool.
func (r *Reader) Bool() bool { return r.Between(0, 1) == 1 }

// Raw reads bytes; they are those of the input.
func (r *Reader) Raw() []byte { return r.take(r.Int(), 1) }

// ReadInts reads a list of integers, each at least low and below high.
func ReadInts[I integer](r *Reader, low, high int) []I {
	n := r.Int()
	if r.err == nil && (n < 0 || n > len(r.rest)) { // an integer takes a byte or more
		r.Fail("it is cut off")
	}
	if r.err != nil {
		return nil
	}
	xs := make([]I, n)
	for i := range xs {
		xs[i] = I(r.Between(low, high-1))
	}
	return xs
}

// ReadFloats reads into dst, whose length must be that of the list.
func ReadFloats[T float32 | float64](r *Reader, dst []T) {
	n := r.Int()
	if r.err == nil && n != len(dst) {
		r.Fail("a list has %d numbers, want %d", n, len(dst))
	}
	var one T
	if b := r.take(n, int(unsafe.Sizeof(one))); b != nil {
		binary.Decode(b, binary.LittleEndian, dst) // as long as dst
	}
}

// Marshal encodes the numbers of a state, each an *int or a *float64.
func Marshal(layout string, vs ...any) ([]byte, error) {
	w := NewWriter(layout)
	for _, v := range vs {
		switch v := v.(type) {
		case *int:
			w.Int(*v)
		case *float64:
			w.Float(*v)
		}
	}
	return w.Seal(), nil
}

// Unmarshal restores the numbers that Marshal encoded.
func Unmarshal(layout string, b []byte, vs ...any) error {
	r := NewReader(layout, b)
	for _, v := range vs {
		switch v := v.(type) {
		case *int:
			*v = r.Int()
		case *float64:
			*v = r.Float()
		}
	}
	return r.Close()
}
