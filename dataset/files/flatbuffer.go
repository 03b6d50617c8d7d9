package files

import "errors"

// flat reads a FlatBuffer, the format of Arrow's metadata, with every access checked. After an access outside the buffer every call
// returns zero and bad is set. Reference: https://flatbuffers.dev/internals/
type flat struct {
	b   []byte
	bad bool
}

var errFlat = errors.New("the metadata points outside itself")

func (f *flat) at(pos, n int) []byte {
	if pos < 0 || n < 0 || pos > len(f.b)-n {
		f.bad = true
		return nil
	}
	return f.b[pos : pos+n]
}

func (f *flat) u8(pos int) int {
	if b := f.at(pos, 1); b != nil {
		return int(b[0])
	}
	return 0
}

// signed returns the little-endian integer of n bytes at pos.
func (f *flat) signed(pos, n int) int64 {
	v := uint64(0)
	for i, c := range f.at(pos, n) {
		v |= uint64(c) << (64 - 8*n + 8*i)
	}
	return int64(v) >> (64 - 8*n)
}

func (f *flat) i16(pos int) int   { return int(f.signed(pos, 2)) }
func (f *flat) i32(pos int) int   { return int(f.signed(pos, 4)) }
func (f *flat) i64(pos int) int64 { return f.signed(pos, 8) }

// A table is the position of a FlatBuffer table in the buffer; 0 if absent.
type table int

// root returns the root table.
func (f *flat) root() table { return table(f.i32(0)) }

// field returns the position of field k of a table, or 0 if it has its default.
func (f *flat) field(t table, k int) int {
	if t == 0 {
		return 0
	}
	vtable := int(t) - f.i32(int(t))
	if size := int(uint16(f.i16(vtable))); 4+2*k+2 > size || f.bad {
		return 0
	}
	off := int(uint16(f.i16(vtable + 4 + 2*k)))
	if off == 0 {
		return 0
	}
	return int(t) + off
}

// follow returns the target of a reference at pos; references only point forward.
func (f *flat) follow(pos int) int {
	if pos == 0 {
		return 0
	}
	off := f.i32(pos)
	if off <= 0 {
		f.bad = true
		return 0
	}
	return pos + off
}

func (f *flat) table(t table, k int) table { return table(f.follow(f.field(t, k))) }

func (f *flat) text(t table, k int) string { return string(f.bytes(t, k)) }

// bytes returns a text, which shares memory with the buffer.
func (f *flat) bytes(t table, k int) []byte {
	pos := f.follow(f.field(t, k))
	if pos == 0 {
		return nil
	}
	return f.at(pos+4, f.i32(pos))
}

// vector returns the position and length of a vector whose elements have size bytes each.
func (f *flat) vector(t table, k, size int) (pos, n int) {
	if pos = f.follow(f.field(t, k)); pos == 0 {
		return 0, 0
	}
	n = f.i32(pos)
	if n < 0 || n > (len(f.b)-pos)/size {
		f.bad = true
		return 0, 0
	}
	f.at(pos+4, n*size)
	return pos + 4, n
}

// The methods int8 to int64 return field k of a table, or its default.

func (f *flat) int8(t table, k, or int) int {
	if pos := f.field(t, k); pos != 0 {
		return f.u8(pos)
	}
	return or
}

func (f *flat) int16(t table, k, or int) int { return int(f.int(t, k, 2, int64(or))) }
func (f *flat) int32(t table, k, or int) int { return int(f.int(t, k, 4, int64(or))) }
func (f *flat) int64(t table, k int) int64   { return f.int(t, k, 8, 0) }

func (f *flat) int(t table, k, n int, or int64) int64 {
	if pos := f.field(t, k); pos != 0 {
		return f.signed(pos, n)
	}
	return or
}
