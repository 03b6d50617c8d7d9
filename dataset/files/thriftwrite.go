package files

import (
	"bytes"
	"encoding/binary"
)

// A thriftWriter writes one structure in Thrift's compact protocol, with fields in ascending order.
type thriftWriter struct {
	b    bytes.Buffer
	last int // number of the last field
}

// Integer types of the compact protocol.
const (
	thriftInt32 = 5
	thriftInt64 = 6
)

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
