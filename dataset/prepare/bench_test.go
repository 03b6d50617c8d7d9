package prepare

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
)

// A rawSource reads a file of this machine's float64, row after row, as a reader of NPY does.
type rawSource struct {
	f     *os.File
	d     int
	rows  int // a batch
	bytes int64
}

func (s *rawSource) Columns() []dataset.Column {
	columns := make([]dataset.Column, s.d)
	for j, name := range tabletest.Letters(s.d) {
		columns[j] = dataset.Column{Name: name, Kind: dataset.Number}
	}
	return columns
}

func (s *rawSource) Select([]int) error { return fmt.Errorf("not here") }
func (s *rawSource) Close() error       { return s.f.Close() }

func (s *rawSource) Next(_ context.Context, b *dataset.Batch) error {
	b.Reset()
	b.Values = slices.Grow(b.Values, s.rows*s.d)[:s.rows*s.d]
	n, err := io.ReadFull(s.f, unsafe.Slice((*byte)(unsafe.Pointer(&b.Values[0])), 8*len(b.Values)))
	if n == 0 {
		return io.EOF
	}
	if err != nil && err != io.ErrUnexpectedEOF {
		return err
	}
	b.Values = b.Values[:n/8]
	s.bytes += int64(n)
	b.Rows, b.Bytes = n/8/s.d, s.bytes
	return nil
}

// rawFile writes n×d numbers and returns the path.
func rawFile(tb testing.TB, n, d int, value func(i, j int, z float64) float64) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "raw")
	f := must.Get(os.Create(path))
	w := bufio.NewWriterSize(f, 1<<20)
	x := tabletest.Normals(1, 9973, d) // prime, so that the rows do not repeat in step with anything
	var b [8]byte
	for i := range n {
		for j, z := range x.Row(i % x.Rows) {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(value(i, j, z)))
			w.Write(b[:])
		}
	}
	must.Succeed(tb, w.Flush())
	must.Succeed(tb, f.Close())
	return path
}

// plainPass is the least that can be done with a file of numbers.
func plainPass(tb testing.TB, path string, buf []byte) float64 {
	f := must.Get(os.Open(path))
	defer f.Close()
	sum := 0.0
	for {
		n, err := io.ReadFull(f, buf)
		for i := 0; i+8 <= n; i += 8 {
			sum += math.Float64frombits(binary.LittleEndian.Uint64(buf[i:]))
		}
		if err != nil {
			return sum
		}
	}
}

// BenchmarkGather against a plain pass over the same file, which is in the page cache: 1,000,000 × 100, 800 MB. The ratio
// is that of two lines of one run.
func BenchmarkGather(b *testing.B) {
	const n, d = 1_000_000, 100
	path := rawFile(b, n, d, func(i, j int, z float64) float64 { return z + float64(i)*1e-6 })
	b.Run("plain", func(b *testing.B) {
		buf := make([]byte, 1<<20)
		b.SetBytes(8 * n * d)
		for b.Loop() {
			plainPass(b, path, buf)
		}
	})
	for _, threads := range []int{1, 2} {
		for _, profile := range []bool{false, true} {
			b.Run(fmt.Sprintf("threads=%d/profile=%v", threads, profile), func(b *testing.B) {
				opt := DefaultSettings()
				opt.Threads, opt.Profile = threads, profile
				b.SetBytes(8 * n * d)
				b.ReportAllocs()
				for b.Loop() {
					g, err := Gather(context.Background(), func(context.Context) (dataset.Source, error) {
						f, err := os.Open(path)
						return &rawSource{f: f, d: d, rows: 4096}, err
					}, opt)
					if err != nil || g.Moments.N != n {
						b.Fatal(g, err)
					}
				}
			})
		}
	}
}

func BenchmarkProfile(b *testing.B) {
	const n, d = 1 << 15, 100
	for _, c := range []struct {
		name  string
		value func(z float64) float64
	}{
		{"continuous", func(z float64) float64 { return z }},
		{"binary", func(z float64) float64 { return math.Copysign(1, z) }},
		{"integers", func(z float64) float64 { return math.Round(100 * z) }},
		{"mostly zero", func(z float64) float64 { return max(z, 0.5) }},
	} {
		x := tabletest.Normals(1, n, d)
		for i, z := range x.Data {
			x.Data[i] = c.value(z)
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(8 * n * d)
			p := newProfiler(d, 1)
			p.add(x.Data, true)
			for b.Loop() { // in the middle of a long table
				p.repeats = repeats{}
				p.add(x.Data, true)
			}
		})
	}
	x := tabletest.Normals(1, n, d)
	b.Run("moments", func(b *testing.B) {
		b.SetBytes(8 * n * d)
		for b.Loop() {
			must.Get(dataset.MomentsOf(tabletest.Letters(d), x, 1))
		}
	})
}
