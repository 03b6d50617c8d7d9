package csv

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
	"github.com/polydag/polydag/matrix"
)

func asCSV(tb testing.TB, x *matrix.Dense[float64]) []byte {
	tb.Helper()
	var b bytes.Buffer
	must.Succeed(tb, Write(&b, tabletest.Letters(x.Cols), dataset.RowsOf(x)))
	return b.Bytes()
}

func BenchmarkReadCSV(b *testing.B) {
	for _, d := range []int{10, 100, 1000} {
		text := asCSV(b, tabletest.Normals(1, 2_000_000/d, d))
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("d=%d/threads=%d", d, threads), func(b *testing.B) {
				opt := DefaultSettings()
				opt.Threads = threads
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					must.Get(Read(context.Background(), bytes.NewReader(text), opt))
				}
			})
		}
	}
}

func BenchmarkWriteCSV(b *testing.B) {
	x := tabletest.Normals(1, 20_000, 100)
	text := asCSV(b, x)
	b.SetBytes(int64(len(text)))
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		must.Succeed(b, Write(&out, tabletest.Letters(100), dataset.RowsOf(x)))
	}
}
