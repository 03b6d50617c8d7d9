package dataset

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// normals returns n×d standard normal values.
func normals(seed uint64, n, d int) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := matrix.New[float64](n, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

func letters(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprintf("v%d", j)
	}
	return names
}

func asCSV(tb testing.TB, x *matrix.Dense[float64]) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := WriteCSV(&b, letters(x.Cols), RowsOf(x)); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func BenchmarkReadCSV(b *testing.B) {
	for _, d := range []int{10, 100, 1000} {
		text := asCSV(b, normals(1, 2_000_000/d, d))
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("d=%d/threads=%d", d, threads), func(b *testing.B) {
				opt := DefaultCSVOptions()
				opt.Threads = threads
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := ReadCSV(context.Background(), bytes.NewReader(text), opt); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkWriteCSV(b *testing.B) {
	x := normals(1, 20_000, 100)
	text := asCSV(b, x)
	b.SetBytes(int64(len(text)))
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if err := WriteCSV(&out, letters(100), RowsOf(x)); err != nil {
			b.Fatal(err)
		}
	}
}
