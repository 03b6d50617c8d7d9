package onnx

import (
	"encoding/binary"
	"errors"
	"math"
)

var errWire = errors.New("not an ONNX model, or damaged")

// Wire types of the protobuf encoding.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

// A field is one field of a protobuf message.
type field struct {
	number int
	wire   int
	value  uint64 // of wireVarint, wire64 and wire32
	bytes  []byte // of wireBytes
}

// fields calls each for the fields of a message in their order.
func fields(b []byte, each func(field) error) error {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 || key>>3 == 0 || key>>3 > 1<<29 {
			return errWire
		}
		b = b[n:]
		f := field{number: int(key >> 3), wire: int(key & 7)}
		switch f.wire {
		case wireVarint:
			if f.value, n = binary.Uvarint(b); n <= 0 {
				return errWire
			}
		case wire64:
			if n = 8; len(b) < n {
				return errWire
			}
			f.value = binary.LittleEndian.Uint64(b)
		case wire32:
			if n = 4; len(b) < n {
				return errWire
			}
			f.value = uint64(binary.LittleEndian.Uint32(b))
		case wireBytes:
			size, head := binary.Uvarint(b)
			if head <= 0 || size > uint64(len(b)-head) {
				return errWire
			}
			n = head + int(size)
			f.bytes = b[head:n]
		default:
			return errWire
		}
		b = b[n:]
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

// ints returns the numbers of a repeated integer field, packed or not.
func (f field) ints() ([]int64, error) {
	if f.wire == wireVarint {
		return []int64{int64(f.value)}, nil
	}
	if f.wire != wireBytes {
		return nil, errWire
	}
	var out []int64
	for b := f.bytes; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errWire
		}
		out, b = append(out, int64(v)), b[n:]
	}
	return out, nil
}

// floats returns the numbers of a repeated float field or, for typeDouble, a repeated double field, packed or not.
func (f field) floats(kind int) ([]float32, error) {
	switch {
	case f.wire == wire32 && kind == typeFloat:
		return []float32{math.Float32frombits(uint32(f.value))}, nil
	case f.wire == wire64 && kind == typeDouble:
		return []float32{float32(math.Float64frombits(f.value))}, nil
	case f.wire != wireBytes:
		return nil, errWire
	}
	return rawFloats(f.bytes, kind)
}
