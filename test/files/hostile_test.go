package files_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/klauspost/compress/snappy"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/tabletest"
)

// The numbers that the Parquet format gives to its kinds of fields, pages, encodings and physical types.
const (
	thriftBinary, thriftList, thriftStruct = 8, 9, 12
	pageData, pageDictionary               = 0, 2
	encPlain, encRLE, encDictionary        = 0, 3, 8
	pqDouble, pqBytes                      = 5, 6
)

// thrift writes the compact protocol, enough to make Parquet files that no writer makes.
type thrift struct {
	b    []byte
	last []int // field ids of the open structures
}

func (w *thrift) open() { w.last = append(w.last, 0) }

func (w *thrift) close() *thrift {
	w.b = append(w.b, 0)
	w.last = w.last[:len(w.last)-1]
	return w
}

func (w *thrift) field(id int, typ byte) {
	k := len(w.last) - 1
	w.b = append(w.b, byte(id-w.last[k])<<4|typ)
	w.last[k] = id
}

func (w *thrift) int(id int, v int64) *thrift {
	w.field(id, 6)
	w.b = binary.AppendVarint(w.b, v)
	return w
}

func (w *thrift) text(id int, s string) *thrift {
	w.field(id, thriftBinary)
	w.b = append(binary.AppendUvarint(w.b, uint64(len(s))), s...)
	return w
}

func (w *thrift) list(id, n int) *thrift {
	w.field(id, thriftList)
	w.b = binary.AppendUvarint(append(w.b, 0xf0|thriftStruct), uint64(n))
	return w
}

func (w *thrift) sub(id int) *thrift {
	w.field(id, thriftStruct)
	w.open()
	return w
}

// page returns a page of one column: kind, claimed sizes and body.
func page(typ, unpacked, packed, values, encoding int64, body []byte) []byte {
	w := &thrift{}
	w.open()
	w.int(1, typ).int(2, unpacked).int(3, packed)
	if typ == pageDictionary {
		w.sub(7).int(1, values).int(2, encoding).close()
	} else {
		w.sub(5).int(1, values).int(2, encoding).int(3, encRLE).int(4, encRLE).close()
	}
	return append(w.close().b, body...)
}

// parquetFile returns a file of one required column.
func parquetFile(physical, codec int64, rows int64, pages ...[]byte) []byte {
	b := []byte("PAR1")
	for _, p := range pages {
		b = append(b, p...)
	}
	w := &thrift{}
	w.open()
	w.int(1, 1).list(2, 2)
	w.open()
	w.text(4, "root").int(5, 1).close()
	w.open()
	w.int(1, physical).int(3, 0).text(4, "c").close()
	w.int(3, rows).list(4, 1)
	w.open()
	w.list(1, 1)
	w.open()
	w.sub(3).int(1, physical).int(4, codec).int(5, rows).int(7, int64(len(b)-4)).int(9, 4).close()
	w.close()
	w.int(3, rows).close()
	w.close()
	b = append(b, w.b...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(w.b)))
	return append(b, "PAR1"...)
}

// A file that claims absurd sizes ends in an error, or is read, in bounded memory.
func TestParquetWithAbsurdSizes(t *testing.T) {
	const huge = math.MaxInt32
	run := binary.AppendUvarint([]byte{1}, huge<<1) // width 1, one run of huge zeros
	run = append(run, 0)
	long := append(binary.LittleEndian.AppendUint32(nil, 1<<20), bytes.Repeat([]byte{'x'}, 1<<20)...)
	one := append(make([]byte, 0, 16), 0, 0, 0, 0, 0, 0, 0, 0)
	honest := parquetFile(pqDouble, 0, 1, page(pageData, 8, 8, 1, encPlain, one))
	footer := bytes.Clone(honest)
	binary.LittleEndian.PutUint32(footer[len(footer)-8:], math.MaxUint32)
	elements := append([]byte("PAR1"), 0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0)
	elements = append(append(elements, 8, 0, 0, 0), "PAR1"...)
	for name, c := range map[string]struct {
		data []byte
		err  error
	}{
		"honest":              {honest, nil},
		"footer of 4 GB":      {footer, ErrDamaged},
		"2^31 columns":        {elements, ErrDamaged},
		"page of 2 GB":        {parquetFile(pqDouble, 1, 1, page(pageData, huge, 8, 1, encPlain, one)), ErrLimit},
		"body beyond file":    {parquetFile(pqDouble, 0, 1, page(pageData, huge, huge, 1, encPlain, one)), ErrDamaged},
		"2^31 values":         {parquetFile(pqDouble, 0, huge, page(pageData, 8, 8, huge, encPlain, one)), ErrDamaged},
		"snappy bomb":         {parquetFile(pqDouble, 1, 1, page(pageData, 8, int64(len(snappy.Encode(nil, make([]byte, 1<<28)))), 1, encPlain, snappy.Encode(nil, make([]byte, 1<<28)))), ErrDamaged},
		"gzip bomb":           {parquetFile(pqDouble, 2, 1, page(pageData, 8, int64(len(gzipped(t, make([]byte, 1<<26)))), 1, encPlain, gzipped(t, make([]byte, 1<<26)))), ErrDamaged},
		"zstd bomb":           {parquetFile(pqDouble, 6, 1, page(pageData, 8, int64(len(zstandard(t, make([]byte, 1<<26)))), 1, encPlain, zstandard(t, make([]byte, 1<<26)))), ErrDamaged},
		"2^31 in dictionary":  {parquetFile(pqDouble, 0, 1, page(pageDictionary, 8, 8, huge, encPlain, one)), ErrDamaged},
		"a text 2^31 times":   {parquetFile(pqBytes, 0, huge, page(pageDictionary, int64(len(long)), int64(len(long)), 1, encPlain, long), page(pageData, int64(len(run)), int64(len(run)), huge, encDictionary, run)), ErrLimit},
		"a number 2^31 times": {parquetFile(pqDouble, 0, huge, page(pageDictionary, 8, 8, 1, encPlain, one), page(pageData, int64(len(run)), int64(len(run)), huge, encDictionary, run)), nil},
	} {
		opt := options()
		opt.MaxMemory = 64 << 20
		var err error
		used := tabletest.Allocated(func() {
			var src dataset.Source
			if src, err = fromMemory(c.data, Parquet, opt); err != nil {
				return
			}
			defer src.Close()
			var b dataset.Batch
			for range 5 {
				if err = src.Next(context.Background(), &b); err != nil {
					break
				}
			}
		})
		if name == "honest" && err != nil && err.Error() == "EOF" {
			err = nil
		}
		if !errors.Is(err, c.err) || c.err == nil && err != nil {
			t.Errorf("%s: %v, want %v", name, err, c.err)
		}
		if used > 250<<20 {
			t.Errorf("%s: %d bytes allocated", name, used)
		}
	}
}

// The lengths in an Arrow stream are changed one by one to absurd ones.
func TestArrowWithAbsurdSizes(t *testing.T) {
	opt := options()
	opt.MaxMemory = 64 << 20
	for _, data := range [][]byte{mixed(30, 101).arrow(t, false, true, 100), mixed(30, 102).arrow(t, true, false, 100)} {
		for at := 0; at+8 <= len(data); at += 4 {
			for _, v := range []uint64{1 << 62, 1 << 40, 1<<31 - 1} {
				bad := bytes.Clone(data)
				binary.LittleEndian.PutUint64(bad[at:], v)
				used := tabletest.Allocated(func() {
					boundedBatches(t, func() (dataset.Source, error) { return fromMemory(bad, Arrow, opt) })
				})
				if used > 200<<20 {
					t.Fatalf("%d at byte %d: %d bytes allocated", v, at, used)
				}
			}
		}
	}
}
