package files

import (
	"encoding/binary"
	"errors"
)

// hybrid reads Parquet's hybrid of run-length and bit-packed values, which encodes levels, dictionary indices and booleans. It
// keeps a position and no values, so a run of any claimed length takes no memory. Reference:
// https://parquet.apache.org/docs/file-format/data-pages/encodings/
type hybrid struct {
	b     []byte
	width uint   // bits per value, at most 32
	run   int    // values left in the run
	value uint32 // value of the run
	group int    // values left in bit-packed groups
	bit   int    // bit position of the next packed value in b
}

var errShort = errors.New("a page has fewer values than it claims")

// next fills dst.
func (h *hybrid) next(dst []uint32) error {
	for len(dst) > 0 {
		switch {
		case h.run > 0:
			n := min(h.run, len(dst))
			for i := range dst[:n] {
				dst[i] = h.value
			}
			h.run -= n
			dst = dst[n:]
		case h.group > 0:
			n := min(h.group, len(dst))
			if err := h.unpack(dst[:n]); err != nil {
				return err
			}
			if h.group -= n; h.group == 0 {
				h.b = h.b[min(len(h.b), (h.bit+7)/8):]
			}
			dst = dst[n:]
		default:
			if err := h.header(); err != nil {
				return err
			}
		}
	}
	return nil
}

// header reads the header of the next run or group.
func (h *hybrid) header() error {
	v, n := binary.Uvarint(h.b)
	if n <= 0 || v>>1 == 0 || v>>1 > 1<<40 {
		return errShort
	}
	h.b = h.b[n:]
	if v&1 == 1 {
		h.group, h.bit = int(v>>1)*8, 0
		return nil
	}
	size := int(h.width+7) / 8
	if len(h.b) < size {
		return errShort
	}
	h.value = 0
	for i := range size {
		h.value |= uint32(h.b[i]) << (8 * i)
	}
	h.b = h.b[size:]
	h.run = int(v >> 1)
	return nil
}

// unpack reads packed values. The last group of a page may end with its last value.
func (h *hybrid) unpack(dst []uint32) error {
	if h.width == 0 {
		clear(dst)
		return nil
	}
	w := int(h.width)
	if (h.bit+len(dst)*w+7)/8 > len(h.b) {
		return errShort
	}
	mask := uint64(1)<<w - 1
	for i := range dst {
		at := h.bit >> 3
		var x uint64
		if at+8 <= len(h.b) {
			x = binary.LittleEndian.Uint64(h.b[at:])
		} else {
			var last [8]byte
			copy(last[:], h.b[at:])
			x = binary.LittleEndian.Uint64(last[:])
		}
		dst[i] = uint32(x >> (h.bit & 7) & mask)
		h.bit += w
	}
	return nil
}
