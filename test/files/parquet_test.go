package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

// Every encoding, compression and page version that parquet-go writes, with and without missing values.
func TestParquetEncodings(t *testing.T) {
	codecs := map[string]compress.Codec{"none": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd, "lz4": &parquet.Lz4Raw, "brotli": &parquet.Brotli}
	encodings := map[string][]encoding.Encoding{ // by column of mixed
		"plain":      {&parquet.Plain, &parquet.Plain, &parquet.Plain, &parquet.Plain, &parquet.Plain, &parquet.Plain},
		"dictionary": {&parquet.RLEDictionary, &parquet.RLEDictionary, &parquet.RLE, &parquet.RLEDictionary, &parquet.RLEDictionary, &parquet.RLEDictionary},
		"delta":      {&parquet.ByteStreamSplit, &parquet.DeltaBinaryPacked, &parquet.RLE, &parquet.DeltaLengthByteArray, &parquet.ByteStreamSplit, &parquet.DeltaByteArray},
	}
	s := mixed(1500, 11)
	want := s.want(false)
	full := numbers(1500, 6, 12)
	for name, codec := range codecs {
		for word, encs := range encodings {
			for version := 1; version <= 2; version++ {
				t.Run(fmt.Sprintf("%s/%s/v%d", name, word, version), func(t *testing.T) {
					data := s.parquet(t, func(j int, n parquet.Node) parquet.Node {
						return parquet.Optional(parquet.Encoded(parquet.Compressed(n, codec), encs[j]))
					}, parquet.DataPageVersion(version), parquet.PageBufferSize(1000), parquet.MaxRowsPerRowGroup(900))
					same(t, readBytes(t, "t.parquet", data, options()), want)
					// Without missing values a page has no levels.
					data = full.parquet(t, func(j int, n parquet.Node) parquet.Node {
						return parquet.Encoded(parquet.Compressed(n, codec), encs[j%2*4])
					}, parquet.DataPageVersion(version), parquet.PageBufferSize(1000))
					same(t, readBytes(t, "t.parquet", data, options()), full.want(false))
				})
			}
		}
	}
}

// integers are hard on differences: extremes, and steps that overflow.
func TestParquetDeltaIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	type row struct {
		A int64  `parquet:"a,delta"`
		B int32  `parquet:"b,delta"`
		C uint32 `parquet:"c,delta"`
		D uint64 `parquet:"d,delta"`
		E int64  `parquet:"e,delta,optional"`
	}
	for _, n := range []int{1, 2, 31, 32, 33, 128, 129, 1000} {
		var rows []row
		for i := range n {
			r := row{A: rng.Int64() - rng.Int64(), B: int32(rng.Uint32()), C: rng.Uint32(), D: rng.Uint64(), E: int64(i) * 1000}
			if i%5 == 0 {
				r.A, r.B, r.C, r.D = math.MinInt64, math.MaxInt32, math.MaxUint32, math.MaxUint64
			}
			rows = append(rows, r)
		}
		var b bytes.Buffer
		must.Succeed(t, parquet.Write(&b, rows))
		got := readBytes(t, "t.parquet", b.Bytes(), options())
		for i, r := range rows {
			e := float64(r.E)
			if r.E == 0 {
				e = math.NaN()
			}
			for j, w := range []float64{float64(r.A), float64(r.B), float64(r.C), float64(r.D), e} {
				if g := got.values[i*5+j]; g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
					t.Fatalf("n = %d: row %d, column %d: %v, want %v", n, i, j, g, w)
				}
			}
		}
	}
}

func TestParquetTypes(t *testing.T) {
	at := time.Date(2024, 2, 29, 12, 34, 56, 789_000_000, time.UTC)
	type row struct {
		A float32          `parquet:"a"`
		B int32            `parquet:"b,decimal(2:9)"`
		C int64            `parquet:"c,decimal(4:18)"`
		D int32            `parquet:"d,date"`
		E int64            `parquet:"e,timestamp(millisecond)"`
		F int64            `parquet:"f,timestamp(microsecond)"`
		G int64            `parquet:"g,timestamp(nanosecond)"`
		H uint8            `parquet:"h"`
		I int16            `parquet:"i"`
		J deprecated.Int96 `parquet:"j"`
		K [16]byte         `parquet:"k,decimal(3:38)"`
		L string           `parquet:"l,enum"`
		M string           `parquet:"m,json"`
		N int32            `parquet:"n,time(millisecond)"`
	}
	r := row{A: 0.1, B: -1234, C: 123456789, D: 19782, E: at.UnixMilli(), F: at.UnixMicro(), G: at.UnixNano(), H: 255, I: -5, L: "red", M: `{"a":1}`, N: 1500}
	r.J = deprecated.Int96{0, 0, 2440588 + 1} // a day after 1970-01-01
	for i := range r.K {
		r.K[i] = 0xff // -1
	}
	r.K[15] = 0x18 // -232
	var b bytes.Buffer
	must.Succeed(t, parquet.Write(&b, []row{r, {}}))
	in := openBytes(t, "t.parquet", b.Bytes(), options())
	src, err := in.Source(context.Background())
	must.Succeed(t, err)
	kinds := ""
	for _, c := range src.Columns() {
		kinds += c.Kind.String() + " "
	}
	if want := "number number number time time time time integer integer time number text text number "; kinds != want {
		t.Errorf("kinds %s, want %s", kinds, want)
	}
	got, err := drain(t, src)
	must.Succeed(t, err)
	sec := float64(at.Unix()) + 0.789
	want := []float64{float64(float32(0.1)), -12.34, 12345.6789, 19782 * 86400, sec, sec, sec, 255, -5, 86400, -0.232, math.NaN(), math.NaN(), 1.5}
	for j, w := range want {
		if g := got.values[j]; g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Errorf("column %s: %v, want %v", got.names[j], g, w)
		}
	}
	if got.texts[[2]int{0, 11}] != "red" || got.texts[[2]int{0, 12}] != `{"a":1}` {
		t.Errorf("texts %v", got.texts)
	}
}

// A column of lists or structures is refused by name, and only where it is selected.
func TestParquetNestedColumns(t *testing.T) {
	type row struct {
		A float64   `parquet:"a"`
		B []float64 `parquet:"b"`
		C struct {
			X, Y float64
		} `parquet:"c"`
		D float64  `parquet:"d"`
		E [16]byte `parquet:"e,uuid"`
	}
	rows := []row{{A: 1, B: []float64{1, 2, 3}, D: 4}, {A: 5, D: 6}}
	var b bytes.Buffer
	must.Succeed(t, parquet.Write(&b, rows))
	in := openBytes(t, "t.parquet", b.Bytes(), options())
	for _, c := range []struct {
		pick []int
		want string
	}{{nil, "column 2 (b)"}, {[]int{0, 2}, "column 3 (c)"}, {[]int{4}, "UUID"}} {
		src, err := in.Source(context.Background())
		must.Succeed(t, err)
		if c.pick != nil {
			must.Succeed(t, src.Select(c.pick))
		}
		if _, err := drain(t, src); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("columns %v: %v", c.pick, err)
		}
	}
	got := tableOf(t, in, 3, 0)
	if fmt.Sprint(got.values) != "[4 1 6 5]" {
		t.Error(got.values)
	}
}

// twin reads a file with parquet-go, value by value.
func twin(t *testing.T, data []byte) [][]float64 {
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	must.Succeed(t, err)
	var out [][]float64
	for r := range parquetRows(t, f) {
		line := make([]float64, len(r))
		for j, v := range r {
			switch {
			case v.IsNull() || v.Kind() == parquet.ByteArray:
				line[j] = math.NaN()
			case v.Kind() == parquet.Double:
				line[j] = v.Double()
			case v.Kind() == parquet.Int64:
				line[j] = float64(v.Int64())
			case v.Boolean():
				line[j] = 1
			}
		}
		out = append(out, line)
	}
	return out
}

// parquetRows yields the rows that parquet-go reads.
func parquetRows(t *testing.T, f *parquet.File) iter.Seq[parquet.Row] {
	return func(yield func(parquet.Row) bool) {
		buf := make([]parquet.Row, 100)
		for _, g := range f.RowGroups() {
			rows := g.Rows()
			for {
				n, err := rows.ReadRows(buf)
				for _, row := range buf[:n] {
					if !yield(row) {
						return
					}
				}
				if err == io.EOF {
					break
				}
				must.Succeed(t, err)
			}
			must.Succeed(t, rows.Close())
		}
	}
}

func TestParquetAgreesWithParquetGo(t *testing.T) {
	for seed := range uint64(10) {
		s := mixed(200+100*int(seed), 20+seed)
		data := s.parquet(t, nil, parquet.PageBufferSize(500+int(seed)*300))
		got := readBytes(t, "t.parquet", data, options())
		for i, row := range twin(t, data) {
			for j, w := range row {
				if g := got.values[i*len(row)+j]; g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
					t.Fatalf("seed %d, row %d, column %d: %v, want %v", seed, i, j, g, w)
				}
			}
		}
	}
}

func TestParquetCutShort(t *testing.T) {
	data := mixed(2000, 14).parquet(t, nil, parquet.Compression(&parquet.Snappy))
	for k := range 20 {
		cut := data[:len(data)*k/20]
		err := firstFault(t, save(t, "t.parquet", cut), options())
		if err == nil || k > 0 && !errors.Is(err, ErrDamaged) {
			t.Errorf("cut at %d/20: %v", k, err)
		}
	}
}

// Any damage in the file ends in an error or other values, never in a panic.
func TestParquetDamaged(t *testing.T) {
	data := mixed(300, 15).parquet(t, nil, parquet.PageBufferSize(500))
	rng := rand.New(rand.NewPCG(16, 1))
	opt := options()
	opt.MaxMemory = 64 << 20
	for range 3000 {
		bad := bytes.Clone(data)
		for range 1 + rng.IntN(3) {
			bad[rng.IntN(len(bad))] = byte(rng.Uint32())
		}
		boundedBatches(t, func() (dataset.Source, error) { return fromMemory(bad, Parquet, opt) })
	}
}

// boundedBatches reads a source for a while and checks its batches.
func boundedBatches(t testing.TB, open func() (dataset.Source, error)) {
	t.Helper()
	src, err := open()
	if err != nil {
		return
	}
	defer src.Close()
	var b dataset.Batch
	for range 40 {
		if err := src.Next(context.Background(), &b); err != nil {
			return
		}
		wellFormed(t, &b, len(src.Columns()))
		if cap(b.Values) > 1<<24 || cap(b.Text) > 1<<28 {
			t.Fatalf("a batch takes %d values and %d bytes of text", cap(b.Values), cap(b.Text))
		}
	}
}
