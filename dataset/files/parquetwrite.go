package files

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"

	"github.com/polydag/polydag/dataset/csv"
)

// Constants of the Parquet format. Reference: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
const (
	parquetDouble   = 5 // Type
	parquetBytes    = 6
	parquetUTF8     = 0 // ConvertedType
	parquetRequired = 0 // FieldRepetitionType
	parquetPlain    = 0 // Encoding
	parquetRLE      = 3
	parquetZstd     = 6 // CompressionCodec
	parquetDataPage = 0 // PageType
)

// groupValues limits the numbers of a row group, and with it the memory of the writer to 32 MB.
const groupValues = 1 << 22

// writeParquet writes required columns of float64 and text. Each row group has one page per column, PLAIN and compressed with zstd.
// A missing value is NaN.
func writeParquet(to io.Writer, t Content) error {
	d := len(t.Names)
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	p := &parquetWriter{to: to, names: t.Names, words: make([][]string, d), pack: pack, most: max(256, min(1<<16, groupValues/max(d, 1)))}
	p.columns = make([][]byte, d)
	copy(p.words, t.Words)
	p.put([]byte("PAR1"))
	for row := range t.Rows {
		for j, v := range row {
			if p.words[j] != nil {
				word, err := csv.Word(p.words[j], v)
				if err != nil {
					return fmt.Errorf("row %d, column %d (%s): %w", p.total+int64(p.rows)+1, j+1, p.names[j], err)
				}
				p.columns[j] = append(binary.LittleEndian.AppendUint32(p.columns[j], uint32(len(word))), word...)
				continue
			}
			p.columns[j] = binary.LittleEndian.AppendUint64(p.columns[j], math.Float64bits(v))
		}
		if p.rows++; p.rows == p.most {
			p.flush()
		}
		if p.err != nil {
			return p.err
		}
	}
	p.flush()
	foot := p.footer()
	p.put(foot)
	p.put(binary.LittleEndian.AppendUint32(nil, uint32(len(foot))))
	p.put([]byte("PAR1"))
	return p.err
}

// A parquetWriter buffers the rows of the current row group. After an error it writes nothing more.
type parquetWriter struct {
	to      io.Writer
	names   []string
	words   [][]string // categories per column; nil for a numeric column
	pack    *zstd.Encoder
	most    int // rows per group
	rows    int // rows of the current group
	columns [][]byte
	at      int64 // bytes written
	err     error

	total  int64 // rows of the written groups
	groups []parquetGroup
}

// parquetGroup is the footer's entry for a row group.
type parquetGroup struct {
	rows   int
	chunks []parquetChunk
}

type parquetChunk struct {
	offset       int64
	plain, taken int64 // bytes including the page header, before and after compression
}

func (p *parquetWriter) put(b []byte) {
	if p.err == nil {
		_, p.err = p.to.Write(b)
		p.at += int64(len(b))
	}
}

// flush writes the current group if it has rows.
func (p *parquetWriter) flush() {
	if p.rows == 0 {
		return
	}
	g := parquetGroup{rows: p.rows}
	var page []byte
	for j, values := range p.columns {
		page = p.pack.EncodeAll(values, page[:0])
		var h thriftWriter
		h.int(1, parquetDataPage)
		h.int(2, int64(len(values)))
		h.int(3, int64(len(page)))
		h.structure(5, func() {
			h.int(1, int64(p.rows))
			h.int(2, parquetPlain)
			h.int(3, parquetRLE)
			h.int(4, parquetRLE)
		})
		head := h.end()
		g.chunks = append(g.chunks, parquetChunk{p.at, int64(len(head) + len(values)), int64(len(head) + len(page))})
		p.put(head)
		p.put(page)
		p.columns[j] = values[:0]
	}
	p.total += int64(p.rows)
	p.groups = append(p.groups, g)
	p.rows = 0
}

// kind returns the type of column j.
func (p *parquetWriter) kind(j int) int64 {
	if p.words[j] != nil {
		return parquetBytes
	}
	return parquetDouble
}

// footer returns the FileMetaData.
func (p *parquetWriter) footer() []byte {
	var w thriftWriter
	w.int(1, 1)
	w.list(2, thriftStruct, 1+len(p.names))
	w.element(func() {
		w.text(4, "schema")
		w.int(5, int64(len(p.names)))
	})
	for j, name := range p.names {
		w.element(func() {
			w.int(1, p.kind(j))
			w.int(3, parquetRequired)
			w.text(4, name)
			if p.words[j] != nil {
				w.int(6, parquetUTF8)
			}
		})
	}
	w.long(3, p.total)
	w.list(4, thriftStruct, len(p.groups))
	for _, g := range p.groups {
		w.element(func() { p.group(&w, g) })
	}
	w.text(6, "polydag")
	return w.end()
}

func (p *parquetWriter) group(w *thriftWriter, g parquetGroup) {
	var size int64
	w.list(1, thriftStruct, len(g.chunks))
	for j, c := range g.chunks {
		size += c.plain
		w.element(func() {
			w.long(2, c.offset)
			w.structure(3, func() {
				w.int(1, p.kind(j))
				w.list(2, thriftInt32, 2)
				w.bare(parquetPlain)
				w.bare(parquetRLE)
				w.list(3, thriftBinary, 1)
				w.bareText(p.names[j])
				w.int(4, parquetZstd)
				w.long(5, int64(g.rows))
				w.long(6, c.plain)
				w.long(7, c.taken)
				w.long(9, c.offset)
			})
		})
	}
	w.long(2, size)
	w.long(3, int64(g.rows))
}
