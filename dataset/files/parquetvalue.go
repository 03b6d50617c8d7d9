package files

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/polydag/polydag/dataset"
)

// encoded prepares the decoder of a page's values.
func (r *pqReader) encoded(page []byte) error {
	numbers := r.c.physical == pqInt32 || r.c.physical == pqInt64
	bytes := r.c.physical == pqBytes || r.c.physical == pqFixed
	var err error
	switch {
	case r.enc == encPlain:
	case r.enc == encPlainDictionary || r.enc == encDictionary:
		r.enc = encDictionary
		r.index = hybrid{}
		if len(page) > 0 { // a page of nulls may be empty
			if page[0] > 32 {
				return errShort
			}
			r.index = hybrid{b: page[1:], width: uint(page[0])}
		}
	case r.enc == encRLE && r.c.physical == pqBoolean:
		r.index = hybrid{width: 1}
		if len(page) > 0 {
			r.index.b, _, err = sized(page)
		}
	case r.enc == encDelta && numbers:
		r.diff, err = newDelta(page, r.left)
	case r.enc == encDeltaLength && r.c.physical == pqBytes:
		err = r.lengths(page)
	case r.enc == encDeltaBytes && bytes:
		if r.prefix, err = newDelta(page, r.left); err == nil {
			r.last = r.last[:0]
			err = r.lengths(restOf(page, r.left))
		}
	case r.enc == encSplit && r.c.physical != pqBoolean && r.c.physical != pqBytes:
		size := r.c.size()
		if len(page)%size != 0 {
			return errShort
		}
		r.split, r.count = 0, len(page)/size
	default:
		return fmt.Errorf("encoding %d is not known for this type", r.enc)
	}
	return err
}

// lengths prepares values stored as all lengths followed by all bytes.
func (r *pqReader) lengths(page []byte) error {
	var err error
	if r.diff, err = newDelta(page, r.left); err == nil {
		r.data = restOf(page, r.left)
	}
	return err
}

// restOf returns the bytes after a sequence of differences.
func restOf(page []byte, most int) []byte {
	d, err := newDelta(page, most)
	if err != nil {
		return nil
	}
	var skip [chunkValues]int64
	for d.left > 0 {
		if d.next(skip[:min(d.left, chunkValues)]) != nil {
			return nil
		}
	}
	return d.rest()
}

// size returns the number of bytes of a fixed-size value.
func (c *pqColumn) size() int {
	switch c.physical {
	case pqInt32, pqFloat:
		return 4
	case pqInt64, pqDouble:
		return 8
	case pqInt96:
		return 12
	}
	return max(c.length, 1)
}

func (r *pqReader) next(dst []float64, out *texts) error {
	if r.pqScratch, _ = r.s.scratch.Get().(*pqScratch); r.pqScratch == nil {
		r.pqScratch = new(pqScratch)
	}
	defer func() {
		r.s.scratch.Put(r.pqScratch)
		r.pqScratch = nil
	}()
	for done := 0; done < len(dst); {
		if r.left == 0 {
			if err := r.nextPage(); err != nil {
				return err
			}
		}
		part := dst[done:min(len(dst), done+r.left, done+chunkValues)]
		if err := r.decode(part, done, out); err != nil {
			if _, ok := err.(*dataset.ParseError); ok {
				return err
			}
			return r.fault(err)
		}
		r.left -= len(part)
		done += len(part)
	}
	return nil
}

// decode fills dst with at most chunkValues values of one page, starting at row of the batch.
func (r *pqReader) decode(dst []float64, row int, out *texts) error {
	present := len(dst)
	if r.c.optional {
		if err := r.nulls.next(r.levels[:len(dst)]); err != nil {
			return err
		}
		present = 0
		for _, v := range r.levels[:len(dst)] {
			present += int(v)
		}
	}
	if r.c.meaning == pqString {
		return r.texts(dst, present, row, out)
	}
	if present == len(dst) {
		return r.numbers(dst)
	}
	if err := r.numbers(r.floats[:present]); err != nil {
		return err
	}
	k := 0
	for i := range dst {
		dst[i] = math.NaN()
		if r.levels[i] == 1 {
			dst[i] = r.floats[k]
			k++
		}
	}
	return nil
}

// texts adds the values as cells.
func (r *pqReader) texts(dst []float64, present, row int, out *texts) error {
	i := -1
	for k := range dst {
		dst[k] = math.NaN()
	}
	return r.bytes(present, func(v []byte) error {
		for i++; r.c.optional && r.levels[i] == 0; i++ {
		}
		return out.add(row+i, v)
	})
}

// numbers decodes values that are not null into dst.
func (r *pqReader) numbers(dst []float64) error {
	switch r.enc {
	case encDictionary:
		index := r.indices[:len(dst)]
		if err := r.index.next(index); err != nil {
			return err
		}
		for i, k := range index {
			if int64(k) >= int64(len(r.dict)) {
				return errIndex
			}
			dst[i] = r.dict[k]
		}
		return nil
	case encRLE:
		index := r.indices[:len(dst)]
		if err := r.index.next(index); err != nil {
			return err
		}
		for i, k := range index {
			dst[i] = float64(k)
		}
		return nil
	case encDelta:
		ints := r.ints[:len(dst)]
		if err := r.diff.next(ints); err != nil {
			return err
		}
		for i, v := range ints {
			if r.c.physical == pqInt32 {
				v = int64(int32(v))
			}
			dst[i] = r.c.integer(v)
		}
		return nil
	}
	if r.c.physical == pqBytes || r.c.physical == pqFixed {
		i := 0
		return r.bytes(len(dst), func(v []byte) error {
			if r.c.meaning == pqHalf {
				dst[i] = float16(binary.LittleEndian.Uint16(v))
			} else if len(v) > 64 {
				return fmt.Errorf("a decimal of %d bytes", len(v))
			} else {
				dst[i] = bigDecimal(v, r.c.scale)
			}
			i++
			return nil
		})
	}
	if r.enc == encSplit {
		var v [12]byte
		for i := range dst {
			if err := r.gather(v[:r.c.size()]); err != nil {
				return err
			}
			r.c.plain(dst[i:i+1], v[:])
		}
		return nil
	}
	if r.c.physical == pqBoolean {
		if r.bit+len(dst) > 8*len(r.data) {
			return errShort
		}
		for i := range dst {
			dst[i] = float64(r.data[r.bit>>3] >> (r.bit & 7) & 1)
			r.bit++
		}
		return nil
	}
	n := len(dst) * r.c.size()
	if n > len(r.data) {
		return errShort
	}
	r.c.plain(dst, r.data)
	r.data = r.data[n:]
	return nil
}

var errIndex = fmt.Errorf("a value is not in the dictionary")

// gather collects the bytes of the next value of BYTE_STREAM_SPLIT.
func (r *pqReader) gather(v []byte) error {
	if r.split >= r.count {
		return errShort
	}
	for k := range v {
		v[k] = r.data[k*r.count+r.split]
	}
	r.split++
	return nil
}

// plain converts consecutive values in b, which must be long enough.
func (c *pqColumn) plain(dst []float64, b []byte) {
	switch c.physical {
	case pqDouble:
		b = b[:8*len(dst)]
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	case pqFloat:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
	case pqInt32:
		for i := range dst {
			dst[i] = c.integer(int64(int32(binary.LittleEndian.Uint32(b[4*i:]))))
		}
	case pqInt64:
		for i := range dst {
			dst[i] = c.integer(int64(binary.LittleEndian.Uint64(b[8*i:])))
		}
	case pqInt96: // nanoseconds of a day, and the Julian day
		for i := range dst {
			nanos := int64(binary.LittleEndian.Uint64(b[12*i:]))
			day := int64(int32(binary.LittleEndian.Uint32(b[12*i+8:])))
			dst[i] = float64((day-2440588)*86400+nanos/1e9) + float64(nanos%1e9)/1e9
		}
	}
}

// integer converts an integer according to its logical type.
func (c *pqColumn) integer(v int64) float64 {
	switch c.meaning {
	case pqUnsigned:
		if c.physical == pqInt32 {
			return float64(uint32(v))
		}
		return float64(uint64(v))
	case pqDecimal:
		return decimal(v, c.scale)
	case pqDate:
		return float64(v * 86400)
	case pqTimestamp, pqTime:
		return seconds(v, c.unit)
	}
	return float64(v)
}
