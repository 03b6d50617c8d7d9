package files

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// arReader reads one column of a record batch, or a dictionary.
type arReader struct {
	s       *arSource
	c       *arField
	column  int
	typ     arType // type of the stored values or indices
	indexed bool
	dict    *arDict

	valid      arBuffer
	allValid   bool
	data, text arBuffer
	views      [][]byte // buffers that text views refer to
	viewsHeld  int64    // bytes of budget used by views
	offset     int64    // offset of the next text; -1 before the first
	bits, raw  []byte
}

// arDict is a dictionary in memory: for each value a number, or a text if end is not 0.
type arDict struct {
	values []float64
	cells  [][2]uint32 // start and end+1 in text
	text   []byte
	held   int64
}

// load points r to the buffers of a column.
func (r *arReader) load(l *arLayout, p arPart, typ arType, indexed bool) error {
	if err := r.dropViews(); err != nil {
		return err
	}
	if r.typ, r.indexed = typ, indexed; indexed {
		r.typ = r.c.index
	}
	if r.typ.id == arNull {
		return nil
	}
	r.allValid = p.nulls == 0 || p.buffers[0].size == 0
	if !r.allValid {
		if err := r.valid.load(r.s, l, p.buffers[0]); err != nil {
			return err
		}
	}
	if err := r.data.load(r.s, l, p.buffers[1]); err != nil {
		return err
	}
	if r.typ.id == arUtf8View {
		return r.loadViews(l, p.views)
	}
	if r.typ.id == arUtf8 || r.typ.id == arLargeUtf8 {
		r.offset = -1
		return r.text.load(r.s, l, p.buffers[2])
	}
	return nil
}

func (r *arReader) close() {
	r.valid.close()
	r.data.close()
	r.text.close()
	r.dropViews() // releasing memory cannot fail
}

// next implements columnReader. Every call except the last of a record batch asks for a multiple of 8 values.
func (r *arReader) next(dst []float64, out *texts) error {
	err := r.values(dst, out)
	var e *dataset.ParseError
	if err != nil && !errors.As(err, &e) {
		err = inColumn(r.s.file, r.column, r.c.name, ErrDamaged, "%v", err)
	}
	return err
}

func (r *arReader) values(dst []float64, out *texts) error {
	if r.typ.id == arNull {
		for i := range dst {
			dst[i] = math.NaN()
		}
		return nil
	}
	r.bits = r.bits[:0]
	if !r.allValid {
		r.bits = slices.Grow(r.bits, (len(dst)+7)/8)[:(len(dst)+7)/8]
		if err := r.valid.fill(r.bits); err != nil {
			return err
		}
	}
	if r.typ.id == arUtf8View {
		return r.viewed(dst, out)
	}
	if r.typ.id == arUtf8 || r.typ.id == arLargeUtf8 {
		return r.texts(dst, out)
	}
	n := (len(dst)*r.typ.bits + 7) / 8
	r.raw = slices.Grow(r.raw[:0], n)[:n]
	if err := r.data.fill(r.raw); err != nil {
		return err
	}
	if r.indexed {
		return r.lookup(dst, out)
	}
	r.typ.decode(dst, r.raw)
	if !r.allValid {
		for i := range dst {
			if !r.present(i) {
				dst[i] = math.NaN()
			}
		}
	}
	return nil
}

func (r *arReader) present(i int) bool { return r.allValid || r.bits[i>>3]>>(i&7)&1 != 0 }

// texts reads the offsets and then the bytes between the first and the last.
func (r *arReader) texts(dst []float64, out *texts) error {
	size := 4
	if r.typ.id == arLargeUtf8 {
		size = 8
	}
	read := func(b []byte) int64 {
		if size == 8 {
			return int64(binary.LittleEndian.Uint64(b))
		}
		return int64(int32(binary.LittleEndian.Uint32(b)))
	}
	if r.offset < 0 {
		var first [8]byte
		if err := r.data.fill(first[:size]); err != nil {
			return err
		}
		if r.offset = read(first[:]); r.offset < 0 {
			return errShort
		}
		if err := r.text.pass(r.offset); err != nil {
			return err
		}
	}
	r.raw = slices.Grow(r.raw[:0], len(dst)*size)[:len(dst)*size]
	if err := r.data.fill(r.raw); err != nil {
		return err
	}
	end := read(r.raw[len(r.raw)-size:])
	if end < r.offset || end-r.offset > r.text.left {
		return errShort
	}
	base := len(out.bytes)
	block, err := out.block(end - r.offset)
	if err != nil {
		return err
	}
	if err := r.text.fill(block); err != nil {
		return err
	}
	from := r.offset
	for i := range dst {
		dst[i] = math.NaN()
		to := read(r.raw[i*size:])
		if to < from || to > end {
			return errShort
		}
		if to-from > int64(r.s.opt.CSV.MaxLine) {
			return located(r.s.file, dataset.ErrLineTooLong, "a text, limit %d bytes", r.s.opt.CSV.MaxLine)
		}
		if r.present(i) {
			out.cells = append(out.cells, dataset.Cell{Row: i, Start: base + int(from-r.offset), End: base + int(to-r.offset)})
		}
		from = to
	}
	r.offset = end
	return nil
}

// lookup replaces indices by the values of the dictionary.
func (r *arReader) lookup(dst []float64, out *texts) error {
	if r.dict == nil {
		return errors.New("its dictionary is missing")
	}
	step := r.typ.bits / 8
	for i := range dst {
		dst[i] = math.NaN()
		if !r.present(i) {
			continue
		}
		k := r.typ.integer(r.raw[i*step:])
		if k < 0 || k >= int64(len(r.dict.values)) {
			return errIndex
		}
		if c := r.dict.cells[k]; c[1] > 0 {
			if err := out.add(i, r.dict.text[c[0]:c[1]-1]); err != nil {
				return err
			}
			continue
		}
		dst[i] = r.dict.values[k]
	}
	return nil
}

// integer reads an integer of 1 to 8 bytes. Values above the largest int64 become negative.
func (t arType) integer(b []byte) int64 {
	switch {
	case t.bits == 8 && t.signed:
		return int64(int8(b[0]))
	case t.bits == 8:
		return int64(b[0])
	case t.bits == 16 && t.signed:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case t.bits == 16:
		return int64(binary.LittleEndian.Uint16(b))
	case t.bits == 32 && t.signed:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	case t.bits == 32:
		return int64(binary.LittleEndian.Uint32(b))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// decode converts stored values; b must be long enough.
func (t arType) decode(dst []float64, b []byte) {
	step := t.bits / 8
	switch {
	case t.id == arFloat && t.bits == 64:
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	case t.id == arFloat && t.bits == 32:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
	case t.id == arFloat:
		for i := range dst {
			dst[i] = float16(binary.LittleEndian.Uint16(b[2*i:]))
		}
	case t.id == arBool:
		for i := range dst {
			dst[i] = float64(b[i>>3] >> (i & 7) & 1)
		}
	case t.id == arInt && t.bits == 64 && !t.signed:
		for i := range dst {
			dst[i] = float64(binary.LittleEndian.Uint64(b[8*i:]))
		}
	case t.id == arInt:
		for i := range dst {
			dst[i] = float64(t.integer(b[i*step:]))
		}
	case t.id == arDecimal:
		var big [32]byte
		for i := range dst {
			v := big[:step]
			copy(v, b[i*step:])
			slices.Reverse(v)
			dst[i] = bigDecimal(v, t.scale)
		}
	default: // date, time, timestamp, duration
		t.signed = true
		for i := range dst {
			if v := t.integer(b[i*step:]); t.unit < 0 {
				dst[i] = float64(v * -t.unit)
			} else {
				dst[i] = seconds(v, t.unit)
			}
		}
	}
}

// dictionary reads a dictionary batch if a selected column uses it.
func (s *arSource) dictionary(m *arMessage) error {
	f := m.meta
	id, delta := f.int64(m.header, 0), f.int8(m.header, 2, 0) != 0
	var c *arField
	column := 0
	for _, r := range s.readers {
		if r.c.encoded && r.c.dict == id {
			c, column = r.c, r.column
		}
	}
	if c == nil {
		return nil
	}
	l, err := s.layout(m, f.table(m.header, 1))
	if err != nil {
		return err
	}
	buffers, variadic := 2, 0
	if c.typ.id == arUtf8View {
		variadic = 1
	} else if c.typ.id == arUtf8 || c.typ.id == arLargeUtf8 {
		buffers = 3
	} else if c.typ.id == arNull {
		buffers = 0
	}
	part, err := l.take(&arField{nodes: 1, buffers: buffers, variadic: variadic})
	if err != nil {
		return err
	}
	old := s.dicts[id]
	if old == nil {
		old = &arDict{}
	}
	d := &arDict{held: old.held}
	if delta {
		d = old
	} else if len(s.dicts) > 0 && old.values != nil {
		if err := s.memory.take(0, old.held, "a dictionary"); err != nil {
			return err
		}
		d.held = 0
	}
	r := &arReader{s: s, c: c, column: column}
	defer r.close()
	if err := r.load(l, part, c.typ, false); err != nil {
		return err
	}
	if err := d.read(r, part.rows); err != nil {
		return err
	}
	s.dicts[id] = d
	return nil
}

// read appends n values.
func (d *arDict) read(r *arReader, n int64) error {
	const piece = 1024
	out := texts{room: &r.s.memory}
	for n > 0 {
		k := int(min(n, piece))
		if err := r.s.memory.take(int64(16*k), 0, "a dictionary"); err != nil {
			return err
		}
		start := len(d.values)
		d.values = append(d.values, make([]float64, k)...)
		d.cells = append(d.cells, make([][2]uint32, k)...)
		out.cells, out.bytes = out.cells[:0], out.bytes[:0]
		if err := r.next(d.values[start:], &out); err != nil {
			return err
		}
		base := len(d.text)
		d.text = append(d.text, out.bytes...)
		if len(d.text) >= math.MaxInt32 {
			return errors.New("a dictionary of more than 2 GB")
		}
		for _, c := range out.cells {
			d.cells[start+c.Row] = [2]uint32{uint32(base + c.Start), uint32(base + c.End + 1)}
		}
		d.held += int64(16*k + len(out.bytes))
		n -= int64(k)
	}
	return nil
}
