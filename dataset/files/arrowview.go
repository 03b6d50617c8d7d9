package files

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// viewBytes is the size of a text view: the length in 4 bytes, then a text of up to 12 bytes, or for a longer text its first 4
// bytes, the buffer number and the offset. Reference:
// https://arrow.apache.org/docs/format/Columnar.html#variable-size-binary-view-layout
const viewBytes = 16

// loadViews loads the buffers that views refer to into memory, because a view may refer to any place in them.
func (r *arReader) loadViews(l *arLayout, extents []arExtent) error {
	r.views = r.views[:0]
	for _, e := range extents {
		if err := r.text.load(r.s, l, e); err != nil {
			return err
		}
		size := r.text.left
		if err := r.s.memory.take(size, 0, "the text of a record batch"); err != nil {
			return err
		}
		r.viewsHeld += size
		b := make([]byte, size)
		if err := r.text.fill(b); err != nil {
			return err
		}
		r.views = append(r.views, b)
	}
	return nil
}

// dropViews releases the buffers of the previous record batch.
func (r *arReader) dropViews() error {
	held := r.viewsHeld
	r.views, r.viewsHeld = nil, 0
	return r.s.memory.take(0, held, "the text of a record batch")
}

// viewed reads views and adds their texts.
func (r *arReader) viewed(dst []float64, out *texts) error {
	n := len(dst) * viewBytes
	r.raw = slices.Grow(r.raw[:0], n)[:n]
	if err := r.data.fill(r.raw); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = math.NaN()
		if !r.present(i) {
			continue
		}
		v := r.raw[i*viewBytes : (i+1)*viewBytes]
		size := int64(int32(binary.LittleEndian.Uint32(v)))
		var text []byte
		switch {
		case size < 0:
			return errShort
		case size > int64(r.s.opt.CSV.MaxLine):
			return located(r.s.file, dataset.ErrLineTooLong, "a text, limit %d bytes", r.s.opt.CSV.MaxLine)
		case size <= viewBytes-4:
			text = v[4 : 4+size]
		default:
			buffer, at := int64(int32(binary.LittleEndian.Uint32(v[8:]))), int64(int32(binary.LittleEndian.Uint32(v[12:])))
			if buffer < 0 || buffer >= int64(len(r.views)) || at < 0 || at > int64(len(r.views[buffer]))-size {
				return errShort
			}
			text = r.views[buffer][at : at+size]
		}
		if err := out.add(i, text); err != nil {
			return err
		}
	}
	return nil
}
