package files

import (
	"encoding/binary"
	"errors"
)

// delta reads DELTA_BINARY_PACKED integers: blocks of differences. Each block has a smallest difference and miniblocks, each with
// one bit width.
type delta struct {
	b     []byte
	left  int64 // values not yet returned
	value uint64
	first bool // the next value is the first one, which is in the header
	mini  int  // values per miniblock
	minis int  // miniblocks per block

	widths []byte
	low    uint64 // smallest difference of the block
	width  uint
	inMini int // values left in the miniblock
	bit    int
}

// newDelta reads the header of a sequence with at most most values.
func newDelta(b []byte, most int) (*delta, error) {
	d := &delta{b: b, first: true}
	block, minis, total := d.uvarint(), d.uvarint(), d.uvarint()
	d.value = d.zigzag()
	if d.b == nil || minis == 0 || minis > 1<<10 || block == 0 || block > 1<<16 || block%minis != 0 || block/minis%8 != 0 || total > uint64(most) {
		return nil, errors.New("a page has a faulty header of differences")
	}
	d.mini, d.minis, d.left = int(block/minis), int(minis), int64(total)
	return d, nil
}

func (d *delta) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.b = nil
		return 0
	}
	d.b = d.b[n:len(d.b):len(d.b)]
	return v
}

func (d *delta) zigzag() uint64 {
	v := d.uvarint()
	return v>>1 ^ -(v & 1)
}

// next fills dst. Sums wrap around, as the format specifies.
func (d *delta) next(dst []int64) error {
	if int64(len(dst)) > d.left {
		return errShort
	}
	for i := range dst {
		if d.first {
			d.first = false
		} else {
			if d.inMini == 0 {
				if err := d.miniblock(); err != nil {
					return err
				}
			}
			d.value += d.low + d.packed()
			d.inMini--
		}
		d.left--
		dst[i] = int64(d.value)
	}
	return nil
}

// miniblock starts the next miniblock, and the next block if needed.
func (d *delta) miniblock() error {
	if d.width > 0 {
		d.b = d.b[d.mini*int(d.width)/8:]
	}
	d.width = 0
	if len(d.widths) == 0 {
		d.low = d.zigzag()
		if d.b == nil || len(d.b) < d.minis {
			return errShort
		}
		d.widths, d.b = d.b[:d.minis], d.b[d.minis:]
	}
	w := d.widths[0]
	d.widths = d.widths[1:]
	// The last miniblock of a page may end with its last value.
	need := int(min(int64(d.mini), d.left))
	if w > 64 || len(d.b) < (need*int(w)+7)/8 {
		return errShort
	}
	if full := d.mini * int(w) / 8; len(d.b) < full {
		d.b = append(append(make([]byte, 0, full), d.b...), make([]byte, full-len(d.b))...)
	}
	d.width, d.inMini, d.bit = uint(w), d.mini, 0
	return nil
}

func (d *delta) packed() uint64 {
	if d.width == 0 {
		return 0
	}
	at, shift := d.bit>>3, uint(d.bit&7)
	d.bit += int(d.width)
	var raw [16]byte
	copy(raw[:], d.b[at:min(len(d.b), at+9)])
	x := binary.LittleEndian.Uint64(raw[:]) >> shift
	if shift > 0 {
		x |= uint64(raw[8]) << (64 - shift)
	}
	if d.width < 64 {
		x &= 1<<d.width - 1
	}
	return x
}

// rest returns the bytes after the last value, for encodings with two consecutive sequences. All values must have been read.
func (d *delta) rest() []byte {
	b := d.b
	if d.width > 0 {
		b = b[min(len(b), d.mini*int(d.width)/8):]
	}
	// Empty miniblocks of the last block still have a width, and with some writers also bytes.
	return b
}
