package files_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	half "github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
)

func TestArrowLayouts(t *testing.T) {
	for _, size := range []int{1, 7, 500, 5000} {
		s := mixed(1200, 31)
		if size == 1 {
			s = mixed(40, 32)
		}
		want := s.want(false)
		for _, file := range []bool{true, false} {
			for _, dictionary := range []bool{true, false} {
				if file && dictionary && size < 5000 {
					continue // a file has one dictionary a column
				}
				for k, opt := range [][]ipc.Option{nil, {ipc.WithLZ4()}, {ipc.WithZstd()}} {
					data := s.arrow(t, file, dictionary, size, opt...)
					t.Run(fmt.Sprintf("batch=%d/file=%v/dictionary=%v/codec=%d", size, file, dictionary, k), func(t *testing.T) {
						same(t, readBytes(t, "t.arrow", data, options()), want)
					})
				}
			}
		}
	}
}

func TestArrowTypes(t *testing.T) {
	mem := memory.NewGoAllocator()
	type column struct {
		typ  arrow.DataType
		fill func(array.Builder)
		kind string
		want float64
	}
	columns := []column{
		{arrow.PrimitiveTypes.Int8, func(b array.Builder) { b.(*array.Int8Builder).Append(-8) }, "integer", -8},
		{arrow.PrimitiveTypes.Int16, func(b array.Builder) { b.(*array.Int16Builder).Append(-16) }, "integer", -16},
		{arrow.PrimitiveTypes.Int32, func(b array.Builder) { b.(*array.Int32Builder).Append(-32) }, "integer", -32},
		{arrow.PrimitiveTypes.Uint8, func(b array.Builder) { b.(*array.Uint8Builder).Append(200) }, "integer", 200},
		{arrow.PrimitiveTypes.Uint16, func(b array.Builder) { b.(*array.Uint16Builder).Append(60000) }, "integer", 60000},
		{arrow.PrimitiveTypes.Uint32, func(b array.Builder) { b.(*array.Uint32Builder).Append(4e9) }, "integer", 4e9},
		{arrow.PrimitiveTypes.Uint64, func(b array.Builder) { b.(*array.Uint64Builder).Append(1 << 63) }, "integer", 1 << 63},
		{arrow.PrimitiveTypes.Float32, func(b array.Builder) { b.(*array.Float32Builder).Append(0.1) }, "number", float64(float32(0.1))},
		{arrow.FixedWidthTypes.Float16, func(b array.Builder) { b.(*array.Float16Builder).Append(half.New(1.5)) }, "number", 1.5},
		{arrow.FixedWidthTypes.Date32, func(b array.Builder) { b.(*array.Date32Builder).Append(3) }, "time", 3 * 86400},
		{arrow.FixedWidthTypes.Date64, func(b array.Builder) { b.(*array.Date64Builder).Append(1500) }, "time", 1.5},
		{arrow.FixedWidthTypes.Timestamp_s, func(b array.Builder) { b.(*array.TimestampBuilder).Append(7) }, "time", 7},
		{arrow.FixedWidthTypes.Timestamp_ns, func(b array.Builder) { b.(*array.TimestampBuilder).Append(2_500_000_000) }, "time", 2.5},
		{arrow.FixedWidthTypes.Time32ms, func(b array.Builder) { b.(*array.Time32Builder).Append(250) }, "number", 0.25},
		{arrow.FixedWidthTypes.Time64us, func(b array.Builder) { b.(*array.Time64Builder).Append(250_000) }, "number", 0.25},
		{arrow.FixedWidthTypes.Duration_ms, func(b array.Builder) { b.(*array.DurationBuilder).Append(-500) }, "number", -0.5},
		{&arrow.Decimal128Type{Precision: 10, Scale: 2}, func(b array.Builder) { b.(*array.Decimal128Builder).Append(decimal128.FromI64(-1234)) }, "number", -12.34},
		{arrow.Null, func(b array.Builder) { b.AppendNull() }, "number", math.NaN()},
		{arrow.BinaryTypes.LargeString, func(b array.Builder) { b.(*array.LargeStringBuilder).Append("large") }, "text", math.NaN()},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.PrimitiveTypes.Float64}, func(b array.Builder) { must.Succeed(t, b.(*array.Float64DictionaryBuilder).Append(2.25)) }, "number", 2.25},
	}
	var fields []arrow.Field
	for j, c := range columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%02d", j), Type: c.typ, Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	builder := array.NewRecordBuilder(mem, schema)
	for j, c := range columns {
		c.fill(builder.Field(j))
		builder.Field(j).AppendNull()
	}
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, ipc.WithSchema(schema))
	must.Succeed(t, err)
	must.Succeed(t, w.Write(builder.NewRecordBatch()))
	must.Succeed(t, w.Close())
	src, err := openBytes(t, "t.arrow", b.Bytes(), options()).Source(context.Background())
	must.Succeed(t, err)
	for j, c := range src.Columns() {
		if c.Kind.String() != columns[j].kind {
			t.Errorf("%s is %s, want %s", columns[j].typ, c.Kind, columns[j].kind)
		}
	}
	got, err := drain(t, src)
	must.Succeed(t, err)
	for j, c := range columns {
		if g := got.values[j]; g != c.want && !(math.IsNaN(g) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.typ, g, c.want)
		}
		if g := got.values[len(columns)+j]; !math.IsNaN(g) {
			t.Errorf("%s: null is %v", c.typ, g)
		}
	}
	if len(got.texts) != 1 || got.texts[[2]int{0, 18}] != "large" {
		t.Errorf("texts %v", got.texts)
	}
}

func TestArrowNestedColumns(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Float64},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32)},
		{Name: "struct", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.BinaryTypes.String}, arrow.Field{Name: "y", Type: arrow.PrimitiveTypes.Int8})},
		{Name: "view", Type: arrow.BinaryTypes.StringView},
		{Name: "bytes", Type: arrow.BinaryTypes.Binary},
		{Name: "z", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	builder := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	for i := range 3 {
		builder.Field(0).(*array.Float64Builder).Append(float64(i))
		l := builder.Field(1).(*array.ListBuilder)
		l.Append(true)
		l.ValueBuilder().(*array.Int32Builder).AppendValues([]int32{1, 2, 3}, nil)
		s := builder.Field(2).(*array.StructBuilder)
		s.Append(true)
		s.FieldBuilder(0).(*array.StringBuilder).Append("text")
		s.FieldBuilder(1).(*array.Int8Builder).Append(1)
		builder.Field(3).(*array.StringViewBuilder).Append("a text that is longer than twelve bytes")
		builder.Field(4).(*array.BinaryBuilder).Append([]byte{1})
		builder.Field(5).(*array.Float64Builder).Append(float64(10 * i))
	}
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	must.Succeed(t, w.Write(builder.NewRecordBatch()))
	must.Succeed(t, w.Close())
	in := openBytes(t, "t.arrows", b.Bytes(), options())
	for j, want := range map[int]string{1: "column 2 (list)", 2: "column 3 (struct)", 4: "column 5 (bytes)"} {
		src, err := in.Source(context.Background())
		must.Succeed(t, err)
		must.Succeed(t, src.Select([]int{0, j}))
		if _, err := drain(t, src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("column %d: %v", j, err)
		}
	}
	got := tableOf(t, in, 5, 0)
	if fmt.Sprint(got.values) != "[0 0 10 1 20 2]" {
		t.Error(got.values)
	}
}

func TestArrowCutShort(t *testing.T) {
	for _, file := range []bool{true, false} {
		data := mixed(2000, 33).arrow(t, file, false, 500, ipc.WithZstd())
		for k := range 20 {
			err := firstFault(t, save(t, "t.arrow", data[:len(data)*k/20]), options())
			if err == nil || k > 0 && !errors.Is(err, ErrDamaged) {
				t.Errorf("file = %v, cut at %d/20: %v", file, k, err)
			}
		}
	}
	stream := mixed(2000, 33).arrow(t, false, false, 500)
	schema := 8 + binary.LittleEndian.Uint32(stream[4:]) // bytes of the first message
	if err := firstFault(t, save(t, "t.arrow", stream[:schema+8]), options()); !errors.Is(err, ErrDamaged) {
		t.Errorf("cut after the length of a message: %v", err)
	}
}

func TestArrowDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	opt := options()
	opt.MaxMemory = 64 << 20
	for _, data := range [][]byte{mixed(100, 35).arrow(t, true, true, 1000, ipc.WithLZ4()), mixed(100, 36).arrow(t, false, true, 50), mixed(100, 37).arrow(t, true, false, 30, ipc.WithZstd())} {
		for range 700 {
			bad := bytes.Clone(data)
			for range 1 + rng.IntN(3) {
				bad[rng.IntN(len(bad))] = byte(rng.Uint32())
			}
			boundedBatches(t, func() (dataset.Source, error) { return fromMemory(bad, Arrow, opt) })
		}
	}
}

// The metadata of a text field declare categories and their order. Metadata that cannot be read are an error.
func TestArrowCategories(t *testing.T) {
	open := func(keys, values []string) (dataset.Source, error) {
		words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
		schema := arrow.NewSchema([]arrow.Field{
			{Name: "plain", Type: words}, {Name: "dose", Type: words, Metadata: arrow.NewMetadata(keys, values)},
		}, nil)
		builder := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
		for j := range 2 {
			must.Succeed(t, builder.Field(j).(*array.BinaryDictionaryBuilder).AppendString("low"))
		}
		var b bytes.Buffer
		w := ipc.NewWriter(&b, ipc.WithSchema(schema))
		must.Succeed(t, w.Write(builder.NewRecordBatch()))
		must.Succeed(t, w.Close())
		return openBytes(t, "t.arrow", b.Bytes(), options()).Source(context.Background())
	}
	for _, c := range []struct {
		keys, values []string
		categories   bool
		order        string
	}{
		{nil, nil, false, "[]"},
		{[]string{"polydag.kind"}, []string{"categorical"}, true, "[]"},
		{[]string{"other", "polydag.kind", "polydag.levels"}, []string{"x", "ordinal", `["low","high"]`}, true, "[low high]"},
	} {
		src, err := open(c.keys, c.values)
		must.Succeed(t, err)
		columns := src.Columns()
		if got := columns[1]; got.Categories != c.categories || fmt.Sprint(got.Order) != c.order || columns[0].Categories {
			t.Errorf("%v: %+v", c.values, columns)
		}
	}
	for _, values := range [][]string{{"low, high"}, {`["low"]`, `["low"]`}, {`["` + strings.Repeat("x", 17<<20) + `"]`}} {
		keys := []string{"polydag.levels", "polydag.levels"}[:len(values)]
		if _, err := open(keys, values); err == nil || !strings.Contains(err.Error(), "polydag.levels") {
			t.Errorf("metadata %.20q: %v", values, err)
		}
	}
}

// Text that a data frame marks as fields is read as in a CSV file; other text is read as it is.
func TestArrowFields(t *testing.T) {
	const rows = 60
	texts := map[string]func(i int) string{
		"price":   func(i int) string { return fmt.Sprintf("%d.50 €", i*i%37) },
		"comma":   func(i int) string { return fmt.Sprintf("%d,25", i*i%41) },
		"hole":    func(i int) string { return []string{"n/a", fmt.Sprint(i * i % 43)}[min(i%20, 1)] },
		"slip":    func(i int) string { return []string{"about 7", fmt.Sprint(i*i%97, ".5")}[min(i, 1)] },
		"account": func(i int) string { return fmt.Sprint(90_000_000_000_000_000 + i) },
		"day":     func(i int) string { return fmt.Sprintf("%d.%d.2024", 1+i%28, 1+i%12) },
		"code":    func(i int) string { return []string{"A1", "B2", "7"}[i*i%3] },
	}
	names := []string{"price", "comma", "hole", "slip", "account", "day", "code"}
	marked := arrow.NewMetadata([]string{"polydag.kind"}, []string{"field"})
	var fields []arrow.Field
	for _, name := range names {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Metadata: marked})
	}
	fields = append(fields, arrow.Field{Name: "as it is", Type: arrow.BinaryTypes.String}, arrow.Field{Name: "number", Type: arrow.PrimitiveTypes.Float64})
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	lines := []string{strings.Join(names, ";") + ";as it is;number"}
	for i := range rows {
		var line []string
		for j, name := range names {
			text := strings.ReplaceAll(texts[name](i), " .5", ".5")
			b.Field(j).(*array.StringBuilder).Append(text)
			line = append(line, text)
		}
		b.Field(len(names)).(*array.StringBuilder).Append(fmt.Sprintf("%d €", i%3))
		b.Field(len(names) + 1).(*array.Float64Builder).Append(float64(i * i % 11))
		lines = append(lines, strings.Join(line, ";")+fmt.Sprintf(";%s;%d", []string{"p", "q", "r"}[i%3], i*i%11))
	}
	var data bytes.Buffer
	w := ipc.NewWriter(&data, ipc.WithSchema(schema))
	must.Succeed(t, w.Write(b.NewRecordBatch()))
	must.Succeed(t, w.Close())
	set := prepare.DefaultSettings()
	set.Encode, set.Missing, set.Profile, set.Exclude = dataset.EncodeLevels, dataset.MissingAuto, true, true
	shown := func(g *prepare.Gathered) string {
		var out []string
		for _, e := range g.Profile.Excluded {
			out = append(out, e.Name+": "+e.Reason)
		}
		out = append(out, fmt.Sprint(g.Moments.Names, g.Moments.Mean, g.Moments.Scatter))
		for _, n := range g.Profile.Read {
			n.Line = 0
			out = append(out, n.String())
		}
		return strings.Join(out, "\n")
	}
	want := shown(must.Get(prepare.Gather(context.Background(), openBytes(t, "t.csv", []byte(strings.Join(lines, "\n")+"\n"), options()).Source, set)))
	if !strings.Contains(want, "slip: text among numbers") || !strings.Contains(want, "the currency is dropped") {
		t.Fatal(want)
	}
	stream := must.Get(Open("-", bytes.NewReader(data.Bytes()), options()))
	defer stream.Close()
	for _, in := range []*Input{openBytes(t, "t.arrow", data.Bytes(), options()), stream} {
		if got := shown(must.Get(prepare.Gather(context.Background(), in.Source, set))); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", in.Name, got, want)
		}
	}
}
