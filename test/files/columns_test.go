package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"

	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
)

// viewTable is an Arrow file of batches with a number, a text as views and a list.
func viewTable(t *testing.T, words [][]string, opts ...ipc.Option) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Float64}, {Name: "word", Type: arrow.BinaryTypes.StringView, Nullable: true},
		{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.StringView), Nullable: true}, {Name: "m", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, append([]ipc.Option{ipc.WithSchema(schema)}, opts...)...)
	must.Succeed(t, err)
	for _, part := range words {
		r := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for i, word := range part {
			r.Field(0).(*array.Float64Builder).Append(float64(i))
			if word == "" {
				r.Field(1).AppendNull()
			} else {
				r.Field(1).(*array.StringViewBuilder).Append(word)
			}
			l := r.Field(2).(*array.ListBuilder)
			l.Append(true)
			l.ValueBuilder().(*array.StringViewBuilder).Append("a tag that is longer than a view holds")
			r.Field(3).(*array.Float64Builder).Append(float64(i * i % 7))
		}
		rec := r.NewRecordBatch()
		must.Succeed(t, w.Write(rec))
		rec.Release()
	}
	must.Succeed(t, w.Close())
	return b.Bytes()
}

// Texts as views, short and long, missing, in several batches, plain and compressed; a column of lists is left out.
func TestArrowViews(t *testing.T) {
	long := strings.Repeat("a long word ", 40)
	words := [][]string{{"short", "", "twelve bytes", "thirteen byte", long, "short"}, {long + "2", "x", ""}}
	want := slices.Concat(words...)
	for name, opts := range map[string][]ipc.Option{"plain": nil, "zstd": {ipc.WithZstd()}, "lz4": {ipc.WithLZ4()}} {
		data := viewTable(t, words, opts...)
		in := openBytes(t, "t.arrow", data, options())
		got := tableOf(t, in, 0, 1)
		if fmt.Sprintf("%q", got.words(1)) != fmt.Sprintf("%q", want) {
			t.Errorf("%s: %q, want %q", name, got.words(1), want)
		}
		opt := prepare.DefaultSettings()
		opt.Encode = "drop"
		g, err := prepare.Gather(context.Background(), in.Source, opt)
		must.Succeed(t, err)
		if fmt.Sprint(g.Moments.Names) != "[n m]" || !strings.Contains(strings.Join(g.Profile.Notes, " "), "Column tags was excluded: type list") {
			t.Errorf("%s: %q, %q", name, g.Moments.Names, g.Profile.Notes)
		}
		opt.Columns = []string{"n", "tags", "m"}
		if _, err := prepare.Gather(context.Background(), in.Source, opt); !errors.Is(err, ErrNested) {
			t.Errorf("%s: a list that was asked for: %v", name, err)
		}
	}
}

// A Parquet file with a list: the list is left out, said so, and an error where it is asked for by name.
func TestParquetNestedLeftOut(t *testing.T) {
	type row struct {
		A    float64   `parquet:"a"`
		B    float64   `parquet:"b"`
		Tags []float64 `parquet:"tags"`
	}
	var b bytes.Buffer
	must.Succeed(t, parquet.Write(&b, []row{{1, 2, []float64{1, 2}}, {2, 5, nil}, {4, 1, []float64{3}}}))
	in := openBytes(t, "t.parquet", b.Bytes(), options())
	opt := prepare.DefaultSettings()
	g, err := prepare.Gather(context.Background(), in.Source, opt)
	must.Succeed(t, err)
	if fmt.Sprint(g.Moments.Names) != "[a b]" || len(g.Profile.Notes) != 1 || !strings.Contains(g.Profile.Notes[0], "Column tags was excluded") {
		t.Errorf("%q, %q", g.Moments.Names, g.Profile.Notes)
	}
	opt.Drop = []string{"tags"}
	if g, err = prepare.Gather(context.Background(), in.Source, opt); err != nil || len(g.Profile.Notes) != 0 {
		t.Errorf("%v, %v", g, err)
	}
	opt.Drop, opt.Columns = nil, []string{"a", "tags"}
	if _, err := prepare.Gather(context.Background(), in.Source, opt); !errors.Is(err, ErrNested) {
		t.Error(err)
	}
}

// words are the texts of a column, row by row, empty where one is missing.
func (c *content) words(column int) []string {
	list := make([]string, c.rows)
	for i := range list {
		list[i] = c.texts[[2]int{i, column}]
	}
	return list
}
