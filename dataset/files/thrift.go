package files

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// thriftReader reads Thrift's compact protocol, the format of Parquet metadata, from bytes in memory. It never allocates more than
// the input justifies: a list cannot be longer than the remaining bytes. After an error every call returns zero. Reference:
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
type thriftReader struct {
	b    []byte
	pos  int
	room int64 // bytes that each may still use for elements
	err  error
}

var (
	errThrift     = errors.New("the metadata cannot be read")
	errThriftRoom = errors.New("the metadata takes more memory than the limit allows")
)

// Types of the compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftInt16  = 4
	thriftInt32  = 5
	thriftInt64  = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

func (r *thriftReader) fail() { r.err, r.pos = errThrift, len(r.b) }

func (r *thriftReader) byte() byte {
	if r.pos >= len(r.b) {
		r.fail()
		return 0
	}
	r.pos++
	return r.b[r.pos-1]
}

func (r *thriftReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b[r.pos:])
	if n <= 0 {
		r.fail()
		return 0
	}
	r.pos += n
	return v
}

// int reads an integer of any size.
func (r *thriftReader) int() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// bytes returns a part of the input, without copying.
func (r *thriftReader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.b)-r.pos) {
		r.fail()
		return nil
	}
	r.pos += int(n)
	return r.b[r.pos-int(n) : r.pos]
}

// list returns the length and element type of a list. Every element takes at least one byte.
func (r *thriftReader) list() (n int, typ byte) {
	head := r.byte()
	size := uint64(head >> 4)
	if size == 15 {
		size = r.uvarint()
	}
	if size > uint64(len(r.b)-r.pos) {
		r.fail()
		return 0, 0
	}
	return int(size), head & 15
}

// structure calls field with the id and type of each field; field must read or skip it. The type of a boolean contains its value.
func (r *thriftReader) structure(field func(id int, typ byte)) {
	id := 0
	for r.err == nil {
		head := r.byte()
		typ := head & 15
		if typ == 0 {
			return
		}
		if head>>4 != 0 {
			id += int(head >> 4)
		} else {
			id = int(int16(r.int()))
		}
		field(id, typ)
	}
}

// each calls element for every element of a list of structures. The caller keeps size bytes per element.
func (r *thriftReader) each(size int64, element func()) {
	n, typ := r.list()
	if typ != thriftStruct && n > 0 {
		r.fail()
		return
	}
	for i := 0; i < n && r.err == nil; i++ {
		if r.room -= size; r.room < 0 {
			r.fail()
			r.err = errThriftRoom
			return
		}
		element()
	}
}

func (r *thriftReader) skip(typ byte) { r.skipDeep(typ, 32) }

// skipDeep skips a value that is nested at most depth levels.
func (r *thriftReader) skipDeep(typ byte, depth int) {
	if depth == 0 {
		r.fail()
		return
	}
	switch typ {
	case thriftTrue, thriftFalse:
	case thriftByte:
		r.byte()
	case thriftInt16, thriftInt32, thriftInt64:
		r.uvarint()
	case thriftDouble:
		if r.pos += 8; r.pos > len(r.b) {
			r.fail()
		}
	case thriftBinary:
		r.bytes()
	case thriftList, thriftSet:
		n, t := r.list()
		for i := 0; i < n && r.err == nil; i++ {
			r.element(t, depth-1)
		}
	case thriftMap:
		n := r.uvarint()
		if n == 0 {
			return
		}
		t := r.byte()
		for i := uint64(0); i < n && r.err == nil; i++ {
			r.element(t>>4, depth-1)
			r.element(t&15, depth-1)
		}
	case thriftStruct:
		r.structure(func(_ int, t byte) { r.skipDeep(t, depth-1) })
	default:
		r.fail()
	}
}

// element skips an element of a collection, where a boolean takes a byte.
func (r *thriftReader) element(typ byte, depth int) {
	if typ == thriftTrue || typ == thriftFalse {
		r.byte()
		return
	}
	r.skipDeep(typ, depth)
}

// A thriftWriter writes one structure in Thrift's compact protocol, with fields in ascending order.
type thriftWriter struct {
	b    bytes.Buffer
	last int // number of the last field
}

func (w *thriftWriter) field(n int, typ byte) {
	if step := n - w.last; step >= 1 && step <= 15 {
		w.b.WriteByte(byte(step)<<4 | typ)
	} else {
		w.b.WriteByte(typ)
		w.bare(int64(n))
	}
	w.last = n
}

// bare writes a number without a field header.
func (w *thriftWriter) bare(v int64) { w.uvarint(uint64(v<<1) ^ uint64(v>>63)) }

func (w *thriftWriter) uvarint(v uint64) { w.b.Write(binary.AppendUvarint(nil, v)) }

func (w *thriftWriter) bareText(s string) {
	w.uvarint(uint64(len(s)))
	w.b.WriteString(s)
}

func (w *thriftWriter) int(n int, v int64) {
	w.field(n, thriftInt32)
	w.bare(v)
}

func (w *thriftWriter) long(n int, v int64) {
	w.field(n, thriftInt64)
	w.bare(v)
}

func (w *thriftWriter) text(n int, s string) {
	w.field(n, thriftBinary)
	w.bareText(s)
}

// list starts a list; its elements follow.
func (w *thriftWriter) list(n int, typ byte, size int) {
	w.field(n, thriftList)
	if size < 15 {
		w.b.WriteByte(byte(size)<<4 | typ)
		return
	}
	w.b.WriteByte(0xf0 | typ)
	w.uvarint(uint64(size))
}

// element writes a structure without a field header.
func (w *thriftWriter) element(fill func()) {
	outer := w.last
	w.last = 0
	fill()
	w.b.WriteByte(0)
	w.last = outer
}

func (w *thriftWriter) structure(n int, fill func()) {
	w.field(n, thriftStruct)
	w.element(fill)
}

// end closes the structure and returns its bytes.
func (w *thriftWriter) end() []byte {
	w.b.WriteByte(0)
	return w.b.Bytes()
}
