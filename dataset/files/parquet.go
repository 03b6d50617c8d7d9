package files

import (
	"context"
	"encoding/binary"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/polydag/polydag/dataset"
)

// pqSource reads a Parquet file. It keeps one page and one dictionary per selected column in memory and decodes values on demand.
// It does not read the pages of other columns.
//
// The decoder is written for this package because it must be safe: general libraries expand runs and compressed pages to any length
// that a hostile file claims.
type pqSource struct {
	frame
	file    string
	at      io.ReaderAt
	size    int64
	opt     Settings
	meta    *pqMeta
	memory  budget
	codecs  pqCodecs
	scratch sync.Pool // *pqScratch

	group  int // row group of the next row
	row    int64
	done   int64 // rows of the previous groups
	fields *interleave
}

func openParquet(file string, at io.ReaderAt, size int64, opt Settings) (dataset.Source, error) {
	meta, err := readParquetMeta(at, size, opt.MaxMemory)
	if err != nil {
		return nil, located(file, ErrDamaged, "%v", err)
	}
	s := &pqSource{file: file, at: at, size: size, opt: opt, meta: meta, memory: budget{file: file, limit: opt.MaxMemory}}
	columns := make([]dataset.Column, len(meta.columns))
	for j := range columns {
		columns[j] = dataset.Column{Name: meta.columns[j].name, Kind: meta.columns[j].kind()}
		if meta.columns[j].fault(file, j) != nil {
			columns[j].Unreadable = meta.columns[j].what
		}
	}
	s.frame, err = newFrame(file, columns, opt)
	return s, err
}

// start checks the selected columns and makes their readers.
func (s *pqSource) start() error {
	readers := make([]columnReader, len(s.chosen))
	for k, j := range s.chosen {
		c := &s.meta.columns[j]
		if err := c.fault(s.file, j); err != nil {
			return err
		}
		for i := range s.meta.groups {
			if s.meta.groups[i].chunks[c.leaf].elsewhere {
				return inColumn(s.file, j, c.name, ErrFormat, "the column is encrypted or in another file")
			}
		}
		readers[k] = &pqReader{s: s, c: c, column: j, group: -1}
	}
	s.codecs.threads = s.opt.Threads
	s.fields = newInterleave(s.file, readers, s.opt)
	return nil
}

// Next implements dataset.Source. A batch does not cross row groups.
func (s *pqSource) Next(ctx context.Context, b *dataset.Batch) error {
	if err := s.begin(ctx, b); err != nil {
		return err
	}
	if s.fields == nil {
		if err := s.start(); err != nil {
			return err
		}
	}
	for s.group < len(s.meta.groups) && s.row == s.meta.groups[s.group].rows {
		s.done += s.row
		s.group, s.row = s.group+1, 0
	}
	if s.group == len(s.meta.groups) {
		return io.EOF
	}
	rows := int(min(int64(batchRows(len(s.chosen))), s.meta.groups[s.group].rows-s.row))
	if err := s.fields.fill(b, rows); err != nil {
		b.Reset()
		return err
	}
	s.row += int64(rows)
	b.Bytes = int64(float64(s.size) * (float64(s.done+s.row) / float64(s.meta.rows)))
	return nil
}

func (s *pqSource) Close() error {
	s.codecs.close()
	return nil
}

// pqCodecs decompresses pages. Goroutines share it.
type pqCodecs struct {
	threads int
	packed  sync.Pool // []byte
	gzips   sync.Pool
	once    sync.Once
	zstd    *zstd.Decoder
	zstdErr error
}

func (p *pqCodecs) close() {
	p.once.Do(func() {})
	if p.zstd != nil {
		p.zstd.Close()
	}
}

// pqCodecNames are the codecs by number; some are not supported.
var pqCodecNames = [...]string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

func pqCodecKnown(codec int) bool {
	return codec >= 0 && codec < len(pqCodecNames) && codec != 3
}

// unpack fills dst, whose length is the page's claimed size, and fails if the data is longer or shorter.
func (p *pqCodecs) unpack(codec int, dst, src []byte) error {
	n, err := 0, error(nil)
	switch codec {
	case 0:
		n = copy(dst, src)
		if len(src) != len(dst) {
			return errPageSize
		}
	case 1:
		if n, err = snappy.DecodedLen(src); err != nil || n != len(dst) {
			return errPageSize
		}
		var out []byte
		if out, err = snappy.Decode(dst, src); err == nil && len(out) > 0 && &out[0] != &dst[0] {
			n = copy(dst, out)
		}
	case 2:
		z, _ := p.gzips.Get().(*gzip.Reader)
		in := byteReader{src}
		if z == nil {
			z, err = gzip.NewReader(&in)
		} else {
			err = z.Reset(&in)
		}
		if err != nil {
			return err
		}
		if n, err = readPage(z, dst); err != errPageSize {
			p.gzips.Put(z)
		}
	case 4:
		n, err = readPage(brotli.NewReader(&byteReader{src}), dst)
	case 5:
		n, err = unpackOldLZ4(dst, src)
	case 6:
		p.once.Do(func() {
			p.zstd, p.zstdErr = zstd.NewReader(nil, zstd.WithDecoderConcurrency(p.threads), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxWindow(maxWindow))
		})
		if p.zstdErr != nil {
			return p.zstdErr
		}
		var out []byte
		out, err = p.zstd.DecodeAll(src, dst[:0:len(dst)])
		n = len(out)
	case 7:
		n, err = lz4.UncompressBlock(src, dst)
		if len(dst) == 0 {
			n, err = 0, nil
		}
	}
	if err == nil && n != len(dst) {
		err = errPageSize
	}
	return err
}

// readPage fills dst, and fails if there is more.
func readPage(r io.Reader, dst []byte) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err != nil {
		return n, err
	}
	if more, _ := io.ReadFull(r, make([]byte, 1)); more > 0 {
		return n, errPageSize
	}
	return n, nil
}

// unpackOldLZ4 decompresses the deprecated LZ4 codec: Hadoop blocks, each after its decompressed and compressed length in 4 bytes,
// big endian, or a single block from other writers.
func unpackOldLZ4(dst, src []byte) (int, error) {
	n, rest := 0, src
	for len(rest) >= 8 {
		plain, packed := int64(binary.BigEndian.Uint32(rest)), int64(binary.BigEndian.Uint32(rest[4:]))
		if plain > int64(len(dst)-n) || packed > int64(len(rest)-8) {
			break
		}
		k, err := lz4.UncompressBlock(rest[8:8+packed], dst[n:n+int(plain)])
		if err != nil || k != int(plain) {
			break
		}
		n, rest = n+k, rest[8+packed:]
	}
	if n == len(dst) && len(rest) == 0 {
		return n, nil
	}
	return lz4.UncompressBlock(src, dst)
}
