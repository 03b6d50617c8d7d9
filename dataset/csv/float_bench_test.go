package csv

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strconv"
	"testing"
	"unsafe"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
)

// realTable returns the text of the table that POLYDAG_BENCH_CSV names, or 20,000 rows of 20 columns with all their digits, as
// polydag simulate writes them.
func realTable(b *testing.B) []byte {
	if path := os.Getenv("POLYDAG_BENCH_CSV"); path != "" {
		text, err := os.ReadFile(path)
		must.Succeed(b, err)
		return text
	}
	return asCSV(b, tabletest.Normals(1, 20_000, 20))
}

// strconvRun reads a run of plain numbers with strconv.ParseFloat alone: the field is cut at the delimiter, and what ParseFloat
// takes beyond decimal numbers is refused by the letters it needs.
func strconvRun(dst []float64, run []byte, width int) ([]float64, bool) {
	for len(run) > 0 {
		for j := range width {
			end := byte(',')
			if j == width-1 {
				end = '\n'
			}
			k := bytes.IndexByte(run, end)
			if k <= 0 {
				return dst, false
			}
			field := run[:k]
			v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(field), k), 64)
			if c := field[k-1] | 0x20; err != nil || c == 'f' || c == 'n' || c == 'y' || k > 2 && (field[1]|0x20 == 'x' || field[2]|0x20 == 'x') {
				return dst, false
			}
			dst = append(dst, v)
			run = run[k+1:]
		}
	}
	return dst, true
}

// BenchmarkDecimal compares this parser with strconv.ParseFloat on one table and one thread, alternately: the
// bare numbers of the table (numbers), and the runs of the file to values (rows).
//
//	polydag simulate --nodes 20 --rows 1000000 --output t.csv --truth truth.csv
//	POLYDAG_BENCH_CSV=t.csv go test ./dataset -run '^$' -bench Decimal -count 7
func BenchmarkDecimal(b *testing.B) {
	text := realTable(b)
	first := bytes.IndexByte(text, '\n') + 1
	width := bytes.Count(text[:first], []byte{','}) + 1
	body := text[first:]
	names := tabletest.Letters(width)

	var starts []int // the numbers of the first megabyte
	for i := 0; i < min(len(body), 1<<20)-64; i++ {
		if i == 0 || body[i-1] == ',' || body[i-1] == '\n' {
			starts = append(starts, i)
		}
	}
	b.Run("numbers/own", func(b *testing.B) {
		for b.Loop() {
			for _, i := range starts {
				if _, _, ok := parseFloat(body, i, '.'); !ok {
					b.Fatalf("%q", body[i:i+20])
				}
			}
		}
	})
	b.Run("numbers/strconv", func(b *testing.B) {
		for b.Loop() {
			for k := range len(starts) - 1 {
				field := body[starts[k] : starts[k+1]-1]
				must.Get(strconv.ParseFloat(unsafe.String(unsafe.SliceData(field), len(field)), 64))
			}
		}
	})
	rows := func(parse func(run []byte) bool) func(b *testing.B) {
		return func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				src := newRunReader(bytes.NewReader(body), 1<<20)
				var buf []byte
				for {
					var err error
					if buf, err = src.next(buf); err == io.EOF {
						break
					} else if err != nil || !parse(buf) {
						b.Fatal(err)
					}
				}
			}
		}
	}
	var batch dataset.Batch
	parser, _ := newRowParser(&header{names: names, delim: ',', point: '.'}, DefaultSettings(), false)
	b.Run("rows/own", rows(func(run []byte) bool {
		_, fault := parser.parse(&batch, run)
		return fault == nil
	}))
	values := slices.Grow([]float64(nil), runBytes)
	b.Run("rows/strconv", rows(func(run []byte) bool {
		var ok bool
		values, ok = strconvRun(values[:0], run, width)
		return ok
	}))
}
