package files_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
)

// benchRows is 20,000, or what POLYDAG_BENCH_ROWS says; the table has 100 columns of 6 significant digits.
func benchRows() int {
	if n, err := strconv.Atoi(os.Getenv("POLYDAG_BENCH_ROWS")); err == nil {
		return n
	}
	return 20_000
}

const benchColumns = 100

// benchValues returns the same numbers every time, block by block.
func benchValues(n int, block func([]float64)) {
	rng := rand.New(rand.NewPCG(7, 7))
	x := make([]float64, benchColumns)
	for range n {
		for j := range x {
			x[j], _ = strconv.ParseFloat(strconv.FormatFloat(rng.NormFloat64(), 'g', 6, 64), 64)
		}
		block(x)
	}
}

// benchFiles writes the table in every format, streamed, and returns the folder.
func benchFiles(b *testing.B) string {
	dir := os.Getenv("POLYDAG_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	if _, err := os.Stat(filepath.Join(dir, "done")); err == nil {
		return dir
	}
	n := benchRows()
	create := func(name string) (*bufio.Writer, func()) {
		f, err := os.Create(filepath.Join(dir, name))
		must.Succeed(b, err)
		w := bufio.NewWriterSize(f, 1<<20)
		return w, func() { must.Succeed(b, w.Flush()); must.Succeed(b, f.Close()) }
	}
	npy, endNPY := create("t.npy")
	npy.Write(rawNPY("'<f8'", false, fmt.Sprintf("(%d, %d)", n, benchColumns), nil))
	csv, endCSV := create("t.csv")
	packed, endPacked := create("t.csv.gz")
	gz, _ := gzip.NewWriterLevel(packed, gzip.BestSpeed)
	text := io.MultiWriter(csv, gz)
	lines, endLines := create("t.jsonl")
	pq, endPQ := create("t.parquet")
	root := parquet.Group{}
	fields := make([]arrow.Field, benchColumns)
	for j := range benchColumns {
		name := fmt.Sprintf("c%03d", j)
		root[name] = parquet.Leaf(parquet.DoubleType)
		fields[j] = arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64}
		sep := ","
		if j == benchColumns-1 {
			sep = "\n"
		}
		io.WriteString(text, name+sep)
	}
	rows := parquet.NewWriter(pq, parquet.NewSchema("t", root), parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(100_000))
	ar, endAR := create("t.arrow")
	schema := arrow.NewSchema(fields, nil)
	batches, err := ipc.NewFileWriter(ar, ipc.WithSchema(schema))
	must.Succeed(b, err)
	builder := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	var line []byte
	record := make(parquet.Row, benchColumns)
	i := 0
	benchValues(n, func(x []float64) {
		line = line[:0]
		for j, v := range x {
			binary.Write(npy, binary.LittleEndian, v)
			line = strconv.AppendFloat(line, v, 'g', -1, 64)
			line = append(line, ',')
			record[j] = parquet.DoubleValue(v).Level(0, 0, j)
			builder.Field(j).(*array.Float64Builder).Append(v)
		}
		line[len(line)-1] = '\n'
		text.Write(line)
		line = line[:0]
		for j, v := range x {
			line = fmt.Appendf(line, ",\"c%03d\":", j)
			line = strconv.AppendFloat(line, v, 'g', -1, 64)
		}
		line[0] = '{'
		lines.Write(append(line, '}', '\n'))
		rows.WriteRows([]parquet.Row{record})
		if i++; i%50_000 == 0 || i == n {
			must.Succeed(b, batches.Write(builder.NewRecordBatch()))
		}
	})
	must.Succeed(b, rows.Close())
	must.Succeed(b, gz.Close())
	must.Succeed(b, batches.Close())
	for _, end := range []func(){endNPY, endCSV, endPacked, endLines, endPQ, endAR} {
		end()
	}
	must.Succeed(b, os.WriteFile(filepath.Join(dir, "done"), nil, 0o600))
	return dir
}

// Source alone, then the moments, of the same table in each format, and a plain pass over the NPY file for comparison.
// MB/s are of the file as it lies there.
func BenchmarkFormats(b *testing.B) {
	dir := benchFiles(b)
	size := func(name string) int64 {
		st, err := os.Stat(filepath.Join(dir, name))
		must.Succeed(b, err)
		return st.Size()
	}
	b.Run("plain pass/t.npy", func(b *testing.B) {
		b.SetBytes(size("t.npy"))
		buf := make([]byte, 1<<21)
		for b.Loop() {
			f, err := os.Open(filepath.Join(dir, "t.npy"))
			must.Succeed(b, err)
			sum := 0.0
			for {
				n, err := io.ReadFull(f, buf)
				for k := 0; k+8 <= n; k += 8 {
					sum += math.Float64frombits(binary.LittleEndian.Uint64(buf[k:]))
				}
				if err != nil {
					break
				}
			}
			f.Close()
		}
	})
	for _, name := range []string{"t.npy", "t.parquet", "t.arrow", "t.csv", "t.csv.gz", "t.jsonl"} {
		open := func(b *testing.B) *Input {
			in, err := Open(filepath.Join(dir, name), nil, DefaultSettings())
			must.Succeed(b, err)
			return in
		}
		b.Run("source/"+name, func(b *testing.B) {
			b.SetBytes(size(name))
			var batch dataset.Batch
			for b.Loop() {
				in := open(b)
				src, err := in.Source(context.Background())
				must.Succeed(b, err)
				for err == nil {
					err = src.Next(context.Background(), &batch)
				}
				if err != io.EOF {
					b.Fatal(err)
				}
				src.Close()
				in.Close()
			}
		})
		b.Run("moments/"+name, func(b *testing.B) {
			b.SetBytes(size(name))
			for b.Loop() {
				in := open(b)
				_, err := prepare.Gather(context.Background(), in.Source, prepare.DefaultSettings())
				must.Succeed(b, err)
				in.Close()
			}
		})
	}
}
