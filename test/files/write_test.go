package files_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/sbinet/npyio"

	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

func drawn(names []string, n int) (files.Content, *matrix.Dense[float64]) {
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	x := matrix.New[float64](n, len(names))
	for i := range x.Data {
		x.Data[i] = math.Float64frombits(rng.Uint64N(0x7ff0<<48)) * []float64{1, -1}[rng.IntN(2)]
	}
	row := make([]float64, len(names))
	return files.Content{Names: names, Count: n, Rows: func(yield func([]float64) bool) {
		for i := range n {
			copy(row, x.Row(i)) // one slice for all rows, as simulate does
			if !yield(row) {
				return
			}
		}
	}}, x
}

// What is written under a name is read back under that name to the last bit, by our reader.
func TestWriteReadsBack(t *testing.T) {
	for _, name := range []string{"t.csv", "t", "t.dat", "t.tsv", "t.csv.gz", "T.TSV.GZ", "t.csv.zst", "t.parquet", "t.pq", "t.npy", "t.npz"} {
		last := 5_000
		if w, err := files.WriterFor(name); err == nil && w.Format == files.Parquet {
			last = 70_000 // two row groups
		}
		for _, n := range []int{2, 257, last} {
			names := []string{"x0", "x1", "x2"}
			if !strings.HasSuffix(name, ".npy") {
				names = []string{"a,b", `é "q"`, "tab\there"}
			}
			table, x := drawn(names, n)
			w := must.Get(files.WriterFor(name))
			var once, twice bytes.Buffer
			if err := errors.Join(w.Write(&once, table), w.Write(&twice, table)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(once.Bytes(), twice.Bytes()) {
				t.Errorf("%s: the same table gives other bytes", name)
			}
			got := readBytes(t, name, once.Bytes(), options())
			if !slices.Equal(got.names, names) || !slices.Equal(got.values, x.Data) {
				t.Errorf("%s of %d rows reads back %q and %d of %d values, some of them others", name, n, got.names, len(got.values), len(x.Data))
			}
		}
	}
}

// Parquet and NPY as other programs read them.
func TestWriteForOthers(t *testing.T) {
	table, x := drawn([]string{"b", "a", "ü"}, 70_000)
	var b bytes.Buffer
	must.Succeed(t, files.Writer{Format: files.Parquet}.Write(&b, table))
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must.Succeed(t, err)
	if f.NumRows() != 70_000 || len(f.RowGroups()) != 2 {
		t.Errorf("%d rows in %d groups", f.NumRows(), len(f.RowGroups()))
	}
	for j, c := range f.Root().Columns() {
		if c.Name() != table.Names[j] || c.Type().Kind() != parquet.Double || c.Optional() {
			t.Errorf("column %d is %s", j, c)
		}
	}
	i := 0
	for row := range parquetRows(t, f) {
		for j, v := range row {
			if v.Double() != x.At(i, j) {
				t.Fatalf("row %d, column %d: %v, want %v", i, j, v, x.At(i, j))
			}
		}
		i++
	}
	if i != 70_000 {
		t.Errorf("%d rows", i)
	}
	b.Reset()
	must.Succeed(t, files.Writer{Format: files.NPY}.Write(&b, table))
	var back []float64
	r, err := npyio.NewReader(bytes.NewReader(b.Bytes()))
	must.Succeed(t, err)
	must.Succeed(t, r.Read(&back))
	if !slices.Equal(back, x.Data) || fmt.Sprint(r.Header.Descr.Shape) != "[70000 3]" {
		t.Errorf("npyio reads %d values of shape %v", len(back), r.Header.Descr.Shape)
	}
}

// A name that asks for what is not written is refused, and a table that is not as announced is an error and no file.
func TestWriteRefuses(t *testing.T) {
	for _, name := range []string{"t.arrow", "t.feather", "t.db", "t.sqlite", "t.jsonl", "t.json", "t.xlsx", "t.csv.bz2", "t.parquet.gz", "t.npy.zst", "t.csv.xz", "t.zip"} {
		if w, err := files.WriterFor(name); !errors.Is(err, files.ErrNotWritten) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %+v, %v", name, w, err)
		}
	}
	full := errors.New("disk full")
	for _, format := range []string{files.CSV, files.TSV, files.Parquet, files.NPY, files.NPZ} {
		w := files.Writer{Format: format}
		table, _ := drawn([]string{"x0", "x1"}, 9)
		more, less := table, table
		more.Count, less.Count = 10, 8
		wide := table
		wide.Names = []string{"x0", "x1", "x2"}
		for _, bad := range []files.Content{more, less, wide} {
			if err := w.Write(io.Discard, bad); err == nil {
				t.Errorf("%s: %d rows announced, %d names: no error", format, bad.Count, len(bad.Names))
			}
		}
		if err := w.Write(writerFunc(func([]byte) (int, error) { return 0, full }), table); !errors.Is(err, full) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Columns of text are read back as the words by another program and by our reader.
func TestWriteWords(t *testing.T) {
	words := []string{"", "x1;x2", "v0", `"é"`}
	table := files.Content{Names: []string{"x", "word"}, Words: [][]string{nil, words}, Count: 70_000, Rows: func(yield func([]float64) bool) {
		for i := range 70_000 {
			if !yield([]float64{float64(i), float64(i % 4)}) {
				return
			}
		}
	}}
	var b bytes.Buffer
	must.Succeed(t, files.Writer{Format: files.Parquet}.Write(&b, table))
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	must.Succeed(t, err)
	if c := f.Root().Columns()[1]; c.Type().Kind() != parquet.ByteArray || c.Type().ConvertedType() == nil || c.Optional() {
		t.Errorf("the column of text is %s", c)
	}
	i := 0
	for row := range parquetRows(t, f) {
		if row[0].Double() != float64(i) || string(row[1].ByteArray()) != words[i%4] {
			t.Fatalf("row %d: %v", i, row)
		}
		i++
	}
	if i != 70_000 {
		t.Errorf("%d rows", i)
	}
	table.Count, table.Rows = 4, func(yield func([]float64) bool) {
		for i := range 4 {
			if !yield([]float64{0.5, float64(i)}) {
				return
			}
		}
	}
	for format, want := range map[string]string{files.CSV: "x,word\n0.5,\n0.5,\"x1;x2\"\n0.5,v0\n0.5,\"\"\"é\"\"\"\n", files.TSV: "x\tword\n0.5\t\n0.5\t\"x1;x2\"\n0.5\tv0\n0.5\t\"\"\"é\"\"\"\n"} {
		b.Reset()
		must.Succeed(t, files.Writer{Format: format}.Write(&b, table))
		if b.String() != want {
			t.Errorf("%s: %q, want %q", format, b.String(), want)
		}
	}
}
