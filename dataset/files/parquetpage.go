package files

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

var errPageSize = errors.New("a page does not have the size that it claims")

// byteReader is a bytes.Reader without the methods that make gzip copy its input.
type byteReader struct{ b []byte }

func (r *byteReader) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b)
	r.b = r.b[n:]
	return n, nil
}

func (r *byteReader) ReadByte() (byte, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c, nil
}

// Supported page types and encodings.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3

	encPlain           = 0
	encPlainDictionary = 2
	encRLE             = 3
	encDelta           = 5
	encDeltaLength     = 6
	encDeltaBytes      = 7
	encDictionary      = 8
	encSplit           = 9
)

// pqHeader is the header of a page.
type pqHeader struct {
	typ              int64
	unpacked, packed int64
	crc              uint32
	hasCRC           bool
	values           int64
	encoding         int64
	levels           int64 // version 1: encoding of definition levels
	defLen, repLen   int64 // version 2
	plainBody        bool  // version 2: values are not compressed
	length           int64 // length of the header itself
}

func parsePageHeader(b []byte) (*pqHeader, error) {
	r := &thriftReader{b: b}
	h := &pqHeader{typ: -1}
	data := func(valueID, encodingID int) func(id int, typ byte) {
		return func(id int, typ byte) {
			switch {
			case id == valueID:
				h.values = r.int()
			case id == encodingID:
				h.encoding = r.int()
			case id == 3 && valueID == 1 && encodingID == 2 && typ == thriftInt32:
				h.levels = r.int()
			case id == 5 && encodingID == 4:
				h.defLen = r.int()
			case id == 6 && encodingID == 4:
				h.repLen = r.int()
			case id == 7 && encodingID == 4:
				h.plainBody = typ == thriftFalse
			default:
				r.skip(typ)
			}
		}
	}
	r.structure(func(id int, typ byte) {
		switch {
		case id == 1:
			h.typ = r.int()
		case id == 2:
			h.unpacked = r.int()
		case id == 3:
			h.packed = r.int()
		case id == 4:
			h.crc, h.hasCRC = uint32(r.int()), true
		case (id == 5 || id == 7) && typ == thriftStruct:
			r.structure(data(1, 2))
		case id == 8 && typ == thriftStruct:
			r.structure(data(1, 4))
		default:
			r.skip(typ)
		}
	})
	if r.err != nil {
		return nil, r.err
	}
	h.length = int64(r.pos)
	if h.unpacked < 0 || h.packed < 0 || h.values < 0 || h.values > math.MaxInt32 || h.defLen < 0 || h.repLen < 0 || h.defLen > h.packed || h.repLen > h.packed-h.defLen {
		return nil, errors.New("a page header has impossible sizes")
	}
	return h, nil
}

// pqReader reads one column.
type pqReader struct {
	s      *pqSource
	c      *pqColumn
	column int

	group    int   // current row group; -1 before the first
	pos, end int64 // position of the next page, and end of the chunk
	values   int64 // values in pages not yet read
	codec    int

	dict     []float64
	dictText [][2]uint32 // start and end of each text in dictBuf
	dictBuf  []byte
	held     int64 // budget used by the dictionary

	buf        []byte // buffer of the page, which the readers below share
	left       int    // values left in the page, including nulls
	nulls      hybrid
	enc        int64
	data       []byte
	bit        int // bit position of a plain boolean
	index      hybrid
	diff       *delta
	prefix     *delta
	last       []byte // previous value of encDeltaBytes
	split      int    // index of the next value in a split stream
	count      int    // number of split values
	*pqScratch        // set during next
}

// pqScratch has the decoding buffers.
type pqScratch struct {
	levels, indices [chunkValues]uint32
	ints            [chunkValues]int64
	floats          [chunkValues]float64
}

// chunkValues is the number of values decoded at once.
const chunkValues = 512

func (r *pqReader) fault(err error) error {
	return inColumn(r.s.file, r.column, r.c.name, ErrDamaged, "row group %d: %v", r.group+1, err)
}

// nextPage reads pages until one has values.
func (r *pqReader) nextPage() error {
	for r.left == 0 {
		for r.values == 0 {
			if err := r.nextGroup(); err != nil {
				return err
			}
		}
		if r.pos >= r.end {
			return r.fault(errShort)
		}
		h, err := r.header()
		if err != nil {
			return r.fault(err)
		}
		body := r.pos + h.length
		if h.packed > r.end-body {
			return r.fault(errors.New("a page reaches beyond its column"))
		}
		r.pos = body + h.packed
		switch h.typ {
		case pageDictionary, pageData, pageDataV2:
			if err := r.load(h, body); err != nil {
				return err
			}
		}
	}
	return nil
}

// nextGroup starts the next row group.
func (r *pqReader) nextGroup() error {
	r.group++
	if r.group >= len(r.s.meta.groups) {
		r.group--
		return r.fault(errShort)
	}
	g := &r.s.meta.groups[r.group]
	c := &g.chunks[r.c.leaf]
	switch {
	case c.values != g.rows:
		return r.fault(errors.New("the column does not have a value for each row"))
	case c.physical != r.c.physical:
		return r.fault(errors.New("the column does not have the type of the schema"))
	case c.codec < 0 || c.codec >= len(pqCodecNames):
		return r.fault(errors.New("unknown compression"))
	case !pqCodecKnown(c.codec):
		return inColumn(r.s.file, r.column, r.c.name, ErrFormat, "it is compressed with %s: write the file with ZSTD or SNAPPY", pqCodecNames[c.codec])
	}
	r.pos, r.end, r.values, r.codec = c.start, c.start+c.size, c.values, c.codec
	r.dict, r.dictText = r.dict[:0], r.dictText[:0]
	return nil
}

// header reads the page header at pos. Its length is not known in advance.
func (r *pqReader) header() (*pqHeader, error) {
	for size := int64(256); ; size *= 8 {
		b := make([]byte, min(size, r.end-r.pos))
		if n, err := r.s.at.ReadAt(b, r.pos); n < len(b) {
			return nil, noEOF(err)
		}
		h, err := parsePageHeader(b)
		if err != errThrift || int64(len(b)) == r.end-r.pos || size > 1<<20 {
			return h, err
		}
	}
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// room returns a buffer of n bytes that replaces buf, within the budget.
func (r *pqReader) room(buf []byte, n int64) ([]byte, error) {
	if n > int64(cap(buf)) {
		if err := r.s.memory.take(n, int64(cap(buf)), "a page of "+shown(r.c.name)); err != nil {
			return nil, err
		}
		buf = make([]byte, n)
	}
	return buf[:n], nil
}

// load reads the page with header h and its body at body.
func (r *pqReader) load(h *pqHeader, body int64) error {
	// Version 2 stores uncompressed levels before the values.
	lead, size := int64(0), h.unpacked
	if h.typ == pageDataV2 {
		lead = h.defLen + h.repLen
		if size < lead {
			return r.fault(errPageSize)
		}
	}
	codec := r.codec
	if h.typ == pageDataV2 && h.plainBody {
		codec = 0
	}
	if codec == 0 && h.packed != h.unpacked {
		return r.fault(errPageSize)
	}
	target := &r.buf
	if h.typ == pageDictionary {
		target = &r.dictBuf
	}
	page, err := r.room(*target, size)
	if err != nil {
		return err
	}
	*target = page
	if codec == 0 {
		if n, err := r.s.at.ReadAt(page, body); n < len(page) {
			return r.fault(noEOF(err))
		}
		if h.hasCRC && crc32.ChecksumIEEE(page) != h.crc {
			return r.fault(errors.New("the checksum of a page does not match"))
		}
	} else if err := r.unpack(codec, h, page, body, lead); err != nil {
		return err
	}
	if h.typ == pageDictionary {
		return r.dictionary(h, page)
	}
	if h.values > r.values {
		return r.fault(errors.New("the pages hold more values than the column"))
	}
	r.values -= h.values
	r.left = int(h.values)
	return r.open(h, page)
}

// unpack reads a compressed page into page.
func (r *pqReader) unpack(codec int, h *pqHeader, page []byte, body, lead int64) error {
	p, _ := r.s.codecs.packed.Get().(*[]byte)
	if p == nil {
		p = new([]byte)
	}
	if h.packed > r.s.memory.limit/4 {
		return inColumn(r.s.file, r.column, r.c.name, ErrLimit, "a page of %d bytes", h.packed)
	}
	packed := slices.Grow((*p)[:0], int(h.packed))[:h.packed]
	*p = packed
	defer r.s.codecs.packed.Put(p)
	if n, err := r.s.at.ReadAt(packed, body); n < len(packed) {
		return r.fault(noEOF(err))
	}
	if h.hasCRC && crc32.ChecksumIEEE(packed) != h.crc {
		return r.fault(errors.New("the checksum of a page does not match"))
	}
	copy(page, packed[:lead])
	if int64(len(page)) == lead && h.typ == pageDataV2 {
		return nil // all values are null
	}
	if err := r.s.codecs.unpack(codec, page[lead:], packed[lead:]); err != nil {
		return r.fault(err)
	}
	return nil
}

// open points the readers of levels and values to a page.
func (r *pqReader) open(h *pqHeader, page []byte) error {
	r.nulls = hybrid{width: 1}
	if h.typ == pageDataV2 {
		r.nulls.b, page = page[h.repLen:h.repLen+h.defLen], page[h.repLen+h.defLen:]
	} else if r.c.optional {
		if h.levels != encRLE {
			return r.fault(errors.New("its levels are in the old BIT_PACKED encoding"))
		}
		b, rest, err := sized(page)
		if err != nil {
			return r.fault(err)
		}
		r.nulls.b, page = b, rest
	}
	r.enc, r.data, r.bit = h.encoding, page, 0
	if err := r.encoded(page); err != nil {
		return r.fault(err)
	}
	return nil
}

// sized splits off a part that is preceded by its length in 4 bytes.
func sized(b []byte) (part, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errShort
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n > int64(len(b)-4) {
		return nil, nil, errShort
	}
	return b[4 : 4+n], b[4+n:], nil
}
