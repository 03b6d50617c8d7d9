package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// arLayout returns the nodes and buffers of a record batch, in column order.
type arLayout struct {
	m                        *arMessage
	rows                     int64
	codec                    int // -1 without compression
	nodes, buffers, variadic int // positions in the metadata
	nodesLeft, buffersLeft   int
	variadicLeft             int
}

// arPart has the nodes and buffers of a column in a record batch.
type arPart struct {
	rows, nulls int64
	buffers     [3]arExtent
	views       []arExtent // buffers that text views refer to
}

// arExtent is a buffer in the body of a message.
type arExtent struct{ start, size int64 }

func (s *arSource) layout(m *arMessage, t table) (*arLayout, error) {
	f := m.meta
	l := &arLayout{m: m, rows: f.int64(t, 0), codec: -1}
	l.nodes, l.nodesLeft = f.vector(t, 1, 16)
	l.buffers, l.buffersLeft = f.vector(t, 2, 16)
	if c := f.table(t, 3); c != 0 {
		if l.codec = f.int8(c, 0, 0); l.codec > 1 || f.int8(c, 1, 0) != 0 {
			return nil, fmt.Errorf("its buffers are packed in an unknown way")
		}
	}
	l.variadic, l.variadicLeft = f.vector(t, 4, 8)
	if f.bad {
		return nil, errFlat
	}
	if l.rows < 0 {
		return nil, fmt.Errorf("a record batch has %d rows", l.rows)
	}
	return l, nil
}

// take skips the nodes and buffers of a column and returns the first ones.
func (l *arLayout) take(c *arField) (arPart, error) {
	f := l.m.meta
	var p arPart
	buffers := c.buffers
	for range c.variadic {
		if l.variadicLeft == 0 {
			return p, errFlat
		}
		n := f.i64(l.variadic)
		if n < 0 || n > int64(l.buffersLeft) {
			return p, errFlat
		}
		buffers += int(n)
		l.variadic += 8
		l.variadicLeft--
	}
	if c.nodes > l.nodesLeft || buffers > l.buffersLeft {
		return p, errors.New("a record batch has fewer columns than the schema")
	}
	p.rows, p.nulls = f.i64(l.nodes), f.i64(l.nodes+8)
	if !c.nested {
		for k := range buffers {
			if k >= len(p.buffers) && c.variadic == 0 {
				break
			}
			e := arExtent{start: f.i64(l.buffers + 16*k), size: f.i64(l.buffers + 16*k + 8)}
			if e.start < 0 || e.size < 0 || e.start > l.m.size || e.size > l.m.size-e.start {
				return p, errors.New("a buffer lies outside its message")
			}
			if c.variadic > 0 && k >= 2 {
				p.views = append(p.views, e)
			} else {
				p.buffers[k] = e
			}
		}
	}
	l.nodes += 16 * c.nodes
	l.nodesLeft -= c.nodes
	l.buffers += 16 * buffers
	l.buffersLeft -= buffers
	return p, nil
}

// arBuffer reads and decompresses a buffer from start to end.
type arBuffer struct {
	r    io.Reader
	left int64
	zstd *zstd.Decoder // reused for the next record batch
	lz4  *lz4.Reader
	held int64 // bytes of budget reserved for the decoder
}

// load points b to a buffer of a message.
func (b *arBuffer) load(s *arSource, l *arLayout, e arExtent) error {
	start := l.m.body + e.start
	b.r, b.left = io.NewSectionReader(s.at, start, e.size), e.size
	if l.codec < 0 || e.size == 0 {
		return nil
	}
	var head [8]byte
	if e.size < 8 {
		return errArrowShort
	}
	if n, err := s.at.ReadAt(head[:], start); n < 8 {
		return noEOF(err)
	}
	packed := io.NewSectionReader(s.at, start+8, e.size-8)
	size := int64(binary.LittleEndian.Uint64(head[:]))
	if size == -1 { // stored without compression
		b.r, b.left = packed, e.size-8
		return nil
	}
	if size < 0 || size > 1<<60 {
		return fmt.Errorf("a buffer claims %d bytes", size)
	}
	b.left = size
	need, err := b.window(s.at, l.codec, start+8, e.size-8, size)
	if err != nil {
		return err
	}
	if err := s.memory.take(need, b.held, "a compressed buffer"); err != nil {
		return err
	}
	b.held = need
	if l.codec == 0 {
		if b.lz4 == nil {
			b.lz4 = lz4.NewReader(nil)
		}
		b.lz4.Reset(packed)
		b.r = b.lz4
		return nil
	}
	if b.zstd == nil {
		if b.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)); err != nil {
			return err
		}
	}
	b.r = b.zstd
	return b.zstd.Reset(packed)
}

// window returns the memory that decompression takes, according to the header of the compressed data.
func (b *arBuffer) window(at io.ReaderAt, codec int, pos, n, size int64) (int64, error) {
	head := make([]byte, min(n, 32))
	if k, err := at.ReadAt(head, pos); k < len(head) {
		return 0, noEOF(err)
	}
	if codec == 0 {
		if len(head) < 7 {
			return 0, errArrowShort
		}
		return 2 << (8 + 2*max(4, int64(head[5]>>4&7))), nil
	}
	var h zstd.Header
	if err := h.Decode(head); err != nil {
		return 0, err
	}
	w := int64(min(h.WindowSize, 1<<40))
	if h.HasFCS {
		w = min(w, int64(min(h.FrameContentSize, 1<<40)))
	}
	if w > maxWindow {
		return 0, fmt.Errorf("a buffer needs a window of %d bytes", w)
	}
	return w + 1<<17, nil
}

// fill reads the next bytes into p.
func (b *arBuffer) fill(p []byte) error {
	if int64(len(p)) > b.left {
		return errShort
	}
	b.left -= int64(len(p))
	_, err := io.ReadFull(b.r, p)
	return noEOF(err)
}

// pass skips n bytes.
func (b *arBuffer) pass(n int64) error {
	if n > b.left {
		return errShort
	}
	b.left -= n
	_, err := io.CopyN(io.Discard, b.r, n)
	return noEOF(err)
}

func (b *arBuffer) close() {
	if b.zstd != nil {
		b.zstd.Close()
	}
}
