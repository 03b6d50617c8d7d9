package files_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

// A sample is a table in memory, column by column: float64, int64, bool, string, or nil where missing. Names are in
// alphabetical order because parquet-go sorts them.
type sample struct {
	names []string
	cols  [][]any
}

func (s *sample) rows() int { return len(s.cols[0]) }

// numbers returns n rows of d columns of float64 without missing values.
func numbers(n, d int, seed uint64) *sample {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := &sample{}
	for j := range d {
		s.names = append(s.names, fmt.Sprintf("c%03d", j))
		col := make([]any, n)
		for i := range col {
			col[i] = rng.NormFloat64()*math.Pow(10, float64(j%7)) + float64(j)
		}
		s.cols = append(s.cols, col)
	}
	return s
}

// mixed returns a table with every kind of value, with missing ones.
func mixed(n int, seed uint64) *sample {
	rng := rand.New(rand.NewPCG(seed, 2))
	s := &sample{names: []string{"a_float", "b_int", "c_bool", "d_text", "e_sparse", "f_code"}}
	s.cols = make([][]any, len(s.names))
	for i := range n {
		row := []any{rng.NormFloat64(), rng.Int64N(1 << 40), rng.IntN(2) == 1, fmt.Sprintf("text ü %d", rng.IntN(1000)), nil, []string{"red", "green", "blue"}[rng.IntN(3)]}
		if rng.IntN(10) == 0 {
			row[4] = rng.Float64()
		}
		for j := range 4 {
			if i > 0 && rng.IntN(12) == 0 {
				row[j] = nil
			}
		}
		for j := range row {
			s.cols[j] = append(s.cols[j], row[j])
		}
	}
	return s
}

func (s *sample) csv(t testing.TB, delimiter string) []byte {
	var b bytes.Buffer
	b.WriteString(strings.Join(s.names, delimiter) + "\n")
	for i := range s.rows() {
		for j := range s.cols {
			if j > 0 {
				b.WriteString(delimiter)
			}
			switch v := s.cols[j][i].(type) {
			case nil:
			case float64:
				b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
			default:
				fmt.Fprint(&b, v)
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func (s *sample) jsonLines(t testing.TB, array bool) []byte {
	var b bytes.Buffer
	if array {
		b.WriteString("[\n")
	}
	for i := range s.rows() {
		if array && i > 0 {
			b.WriteString(",\n")
		}
		b.WriteByte('{')
		for j := range s.cols {
			if j > 0 {
				b.WriteString(", ")
			}
			key, _ := json.Marshal(s.names[j])
			v, err := json.Marshal(s.cols[j][i])
			must.Succeed(t, err)
			fmt.Fprintf(&b, "%s: %s", key, v)
		}
		b.WriteString("}")
		if !array {
			b.WriteByte('\n')
		}
	}
	if array {
		b.WriteString("\n]\n")
	}
	return b.Bytes()
}

// dense returns the numbers row by row, NaN where missing.
func (s *sample) dense() []float64 {
	var x []float64
	for i := range s.rows() {
		for j := range s.cols {
			switch v := s.cols[j][i].(type) {
			case float64:
				x = append(x, v)
			case int64:
				x = append(x, float64(v))
			case bool:
				f := 0.0
				if v {
					f = 1
				}
				x = append(x, f)
			default:
				x = append(x, math.NaN())
			}
		}
	}
	return x
}

func (s *sample) npy(t testing.TB) []byte {
	var b bytes.Buffer
	must.Succeed(t, npyio.Write(&b, mat.NewDense(s.rows(), len(s.cols), s.dense())))
	return b.Bytes()
}

// rawNPY writes an array of any type by hand.
func rawNPY(descr string, fortran bool, shape string, data []byte) []byte {
	word := "False"
	if fortran {
		word = "True"
	}
	dict := fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr, word, shape)
	for (len(dict)+11)%64 != 0 {
		dict += " "
	}
	dict += "\n"
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), byte(len(dict)>>8))
	return append(append(out, dict...), data...)
}

func namesNPY(names []string) []byte {
	width := 1
	for _, n := range names {
		width = max(width, len([]rune(n)))
	}
	var b bytes.Buffer
	for _, n := range names {
		cells := make([]rune, width)
		copy(cells, []rune(n))
		binary.Write(&b, binary.LittleEndian, cells)
	}
	return rawNPY(fmt.Sprintf("'<U%d'", width), false, fmt.Sprintf("(%d,)", len(names)), b.Bytes())
}

func zipOf(t testing.TB, method uint16, members ...any) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for k := 0; k < len(members); k += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: members[k].(string), Method: method})
		must.Succeed(t, err)
		_, err = w.Write(members[k+1].([]byte))
		must.Succeed(t, err)
	}
	must.Succeed(t, z.Close())
	return b.Bytes()
}

func (s *sample) npz(t testing.TB, method uint16) []byte {
	return zipOf(t, method, "x.npy", s.npy(t), "names.npy", namesNPY(s.names))
}

// first returns the first value of a column, or nil.
func (s *sample) first(j int) any {
	k := slices.IndexFunc(s.cols[j], func(v any) bool { return v != nil })
	return s.cols[j][max(k, 0)]
}

// parquetNode returns the schema node of a column.
func (s *sample) parquetNode(j int) parquet.Node {
	switch s.first(j).(type) {
	case int64:
		return parquet.Int(64)
	case bool:
		return parquet.Leaf(parquet.BooleanType)
	case string:
		return parquet.String()
	}
	return parquet.Leaf(parquet.DoubleType)
}

// parquet writes the table. change may set the encoding of a column or make it optional; nil makes every column optional.
func (s *sample) parquet(t testing.TB, change func(j int, n parquet.Node) parquet.Node, opts ...parquet.WriterOption) []byte {
	root := parquet.Group{}
	optional := make([]bool, len(s.cols))
	for j, name := range s.names {
		n := s.parquetNode(j)
		if change != nil {
			n = change(j, n)
		} else {
			n = parquet.Optional(n)
		}
		optional[j] = n.Optional()
		root[name] = n
	}
	var b bytes.Buffer
	w := parquet.NewWriter(&b, append([]parquet.WriterOption{parquet.NewSchema("t", root)}, opts...)...)
	for i := range s.rows() {
		row := make(parquet.Row, len(s.cols))
		for j := range s.cols {
			def := 0
			if optional[j] {
				def = 1
			}
			v := parquet.ValueOf(s.cols[j][i])
			if s.cols[j][i] == nil {
				v, def = parquet.NullValue(), 0
			}
			row[j] = v.Level(0, def, j)
		}
		_, err := w.WriteRows([]parquet.Row{row})
		must.Succeed(t, err)
	}
	must.Succeed(t, w.Close())
	return b.Bytes()
}

func (s *sample) arrowSchema(dictionary bool) *arrow.Schema {
	var fields []arrow.Field
	for j, name := range s.names {
		var typ arrow.DataType = arrow.PrimitiveTypes.Float64
		switch s.first(j).(type) {
		case int64:
			typ = arrow.PrimitiveTypes.Int64
		case bool:
			typ = arrow.FixedWidthTypes.Boolean
		case string:
			typ = arrow.BinaryTypes.String
			if dictionary {
				typ = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
			}
		}
		fields = append(fields, arrow.Field{Name: name, Type: typ, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// arrow writes the table as an IPC file or stream, in record batches of size rows.
func (s *sample) arrow(t testing.TB, file, dictionary bool, size int, opts ...ipc.Option) []byte {
	schema := s.arrowSchema(dictionary)
	var b bytes.Buffer
	opts = append(opts, ipc.WithSchema(schema))
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	var err error
	if file {
		w, err = ipc.NewFileWriter(&b, opts...)
		must.Succeed(t, err)
	} else {
		w = ipc.NewWriter(&b, append(opts, ipc.WithDictionaryDeltas(dictionary))...)
	}
	builder := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	for lo := 0; lo < s.rows(); lo += size {
		for j := range s.cols {
			for _, v := range s.cols[j][lo:min(lo+size, s.rows())] {
				if v == nil {
					builder.Field(j).AppendNull()
					continue
				}
				switch f := builder.Field(j).(type) {
				case *array.Float64Builder:
					f.Append(v.(float64))
				case *array.Int64Builder:
					f.Append(v.(int64))
				case *array.BooleanBuilder:
					f.Append(v.(bool))
				case *array.StringBuilder:
					f.Append(v.(string))
				case *array.BinaryDictionaryBuilder:
					must.Succeed(t, f.AppendString(v.(string)))
				default:
					t.Fatalf("%T", f)
				}
			}
		}
		rec := builder.NewRecordBatch()
		must.Succeed(t, w.Write(rec))
		rec.Release()
	}
	must.Succeed(t, w.Close())
	return b.Bytes()
}

func gzipped(t testing.TB, data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	must.Succeed(t, err)
	must.Succeed(t, w.Close())
	return b.Bytes()
}

func zstandard(t testing.TB, data []byte) []byte {
	w, err := zstd.NewWriter(nil)
	must.Succeed(t, err)
	defer w.Close()
	return w.EncodeAll(data, nil)
}

// save writes a file into a folder of the test.
func save(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Succeed(t, os.WriteFile(path, data, 0o600))
	return path
}

func readPath(t testing.TB, path string, opt Settings) *content {
	t.Helper()
	in, err := Open(path, nil, opt)
	must.Succeed(t, err)
	defer in.Close()
	return tableOf(t, in)
}

// content is all that a source hands out.
type content struct {
	names  []string
	values []float64
	texts  map[[2]int]string
	rows   int
}

// drain reads a source to its end and checks the form of its batches.
func drain(t testing.TB, src dataset.Source) (*content, error) {
	t.Helper()
	c := &content{names: dataset.ColumnNames(src.Columns()), texts: map[[2]int]string{}}
	var b dataset.Batch
	for {
		err := src.Next(context.Background(), &b)
		if err == io.EOF {
			return c, nil
		}
		if err != nil {
			return c, err
		}
		wellFormed(t, &b, len(c.names))
		for _, cell := range b.Cells {
			c.texts[[2]int{c.rows + cell.Row, cell.Column}] = string(b.Text[cell.Start:cell.End])
		}
		c.values = append(c.values, b.Values...)
		c.rows += b.Rows
	}
}

// wellFormed checks what every batch must satisfy.
func wellFormed(t testing.TB, b *dataset.Batch, d int) {
	t.Helper()
	if b.Rows < 1 || len(b.Values) != b.Rows*d {
		t.Fatalf("a batch of %d rows has %d values for %d columns", b.Rows, len(b.Values), d)
	}
	last := 0
	for _, c := range b.Cells {
		at := c.Row*d + c.Column
		if c.Column < 0 || c.Column >= d || c.Row < last || c.Row >= b.Rows || c.Start > c.End || c.End > len(b.Text) || !math.IsNaN(b.Values[at]) {
			t.Fatalf("cell %+v is out of place", c)
		}
		last = c.Row
	}
}

// want returns what any reader should make of a sample. In CSV booleans and texts are cells.
func (s *sample) want(textBools bool) *content {
	c := &content{names: s.names, values: s.dense(), texts: map[[2]int]string{}, rows: s.rows()}
	for j := range s.cols {
		for i, v := range s.cols[j] {
			switch v := v.(type) {
			case string:
				c.texts[[2]int{i, j}] = v
			case bool:
				if textBools {
					c.texts[[2]int{i, j}] = fmt.Sprint(v)
					c.values[i*len(s.cols)+j] = math.NaN()
				}
			}
		}
	}
	return c
}

// same compares two contents to the last bit.
func same(t testing.TB, got, want *content) {
	t.Helper()
	if fmt.Sprint(got.names) != fmt.Sprint(want.names) || got.rows != want.rows {
		t.Fatalf("%d rows of %q, want %d of %q", got.rows, got.names, want.rows, want.names)
	}
	for i := range want.values {
		g, w := got.values[i], want.values[i]
		if math.Float64bits(g) != math.Float64bits(w) && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Fatalf("row %d, column %d: %v, want %v", i/len(want.names), i%len(want.names), g, w)
		}
	}
	if len(got.texts) != len(want.texts) {
		t.Fatalf("%d texts, want %d", len(got.texts), len(want.texts))
	}
	for at, w := range want.texts {
		if g, ok := got.texts[at]; !ok || g != w {
			t.Fatalf("text at %v is %q, want %q", at, g, w)
		}
	}
}

// options are the defaults on two threads.
func options() Settings {
	o := DefaultSettings()
	o.Threads = 2
	return o
}

// openBytes opens a file with this content.
func openBytes(t testing.TB, name string, data []byte, opt Settings) *Input {
	t.Helper()
	in, err := Open(save(t, name, data), nil, opt)
	must.Succeed(t, err)
	t.Cleanup(func() { in.Close() })
	return in
}

// readBytes reads the whole table of a file with this content.
func readBytes(t testing.TB, name string, data []byte, opt Settings) *content {
	t.Helper()
	return tableOf(t, openBytes(t, name, data, opt))
}

// tableOf reads the rows of an input, all columns or those with these indices.
func tableOf(t testing.TB, in *Input, columns ...int) *content {
	t.Helper()
	src, err := in.Source(context.Background())
	must.Succeed(t, err)
	if columns != nil {
		must.Succeed(t, src.Select(columns))
	}
	c, err := drain(t, src)
	must.Succeed(t, err)
	must.Succeed(t, src.Close())
	return c
}

// fromMemory opens bytes as a stream of the format; "" finds out which.
func fromMemory(data []byte, format string, opt Settings) (dataset.Source, error) {
	return fromStream(bytes.NewReader(data), format, opt)
}

func fromStream(r io.Reader, format string, opt Settings) (dataset.Source, error) {
	opt.Format = format
	return sourceOf(Open("-", r, opt))
}

// fromFile is fromMemory for a file, whose length is known.
func fromFile(t testing.TB, data []byte, format string, opt Settings) (dataset.Source, error) {
	opt.Format = format
	return sourceOf(Open(save(t, "t", data), nil, opt))
}

// owned is a source that closes its input with it.
type owned struct {
	dataset.Source
	in *Input
}

func (o owned) Close() error { return errors.Join(o.Source.Close(), o.in.Close()) }

func sourceOf(in *Input, err error) (dataset.Source, error) {
	if err != nil {
		return nil, err
	}
	src, err := in.Source(context.Background())
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return owned{src, in}, nil
}

// firstFault opens and reads a file and returns the first error, or nil.
func firstFault(t testing.TB, path string, opt Settings) error {
	in, err := Open(path, nil, opt)
	if err != nil {
		return err
	}
	defer in.Close()
	if m, _ := in.Saved(); m != nil {
		return nil
	}
	src, err := in.Source(context.Background())
	if err != nil {
		return err
	}
	defer src.Close()
	_, err = drain(t, src)
	return err
}

// contents returns the bytes of a file.
func contents(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	must.Succeed(t, err)
	return data
}
