package files

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// realLines opens the file of JSON lines that POLYDAG_BENCH_JSON names, or 5,000 rows of 20 numbers with all their digits.
func realLines(b *testing.B) io.ReadCloser {
	if path := os.Getenv("POLYDAG_BENCH_JSON"); path != "" {
		f, err := os.Open(path)
		must.Succeed(b, err)
		return f
	}
	rng := rand.New(rand.NewPCG(7, 7))
	var text []byte
	for range 5_000 {
		text = append(text, '{')
		for j := range 20 {
			text = fmt.Appendf(text, "%q:%v,", names20[j], rng.NormFloat64())
		}
		text = append(text[:len(text)-1], "}\n"...)
		text = append(text, '\n')
	}
	return io.NopCloser(bytes.NewReader(text))
}

// BenchmarkJSONLines compares this reader with encoding/json on the same lines: all values of the file, and one
// record alone. encoding/json rejects the NaN of Python, accepts repeated keys, and does not report lines.
//
//	POLYDAG_BENCH_JSON=t.jsonl go test ./dataset/files -run '^$' -bench JSONLines -benchtime 1x -count 5
func BenchmarkJSONLines(b *testing.B) {
	b.Run("own", func(b *testing.B) {
		for b.Loop() {
			f := realLines(b)
			src, err := openJSON("t.jsonl", f, DefaultSettings())
			must.Succeed(b, err)
			var batch dataset.Batch
			for err == nil {
				err = src.Next(context.Background(), &batch)
			}
			if err != io.EOF {
				b.Fatal(err)
			}
			f.Close()
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		for b.Loop() {
			f := realLines(b)
			dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<18))
			row := map[string]any{}
			values := make([]float64, 0, 1<<16)
			for {
				if err := dec.Decode(&row); err == io.EOF {
					break
				} else {
					must.Succeed(b, err)
				}
				if len(values) > 1<<15 {
					values = values[:0]
				}
				for j := range 20 {
					values = append(values, row[names20[j]].(float64))
				}
			}
			f.Close()
		}
	})
	line := []byte(`{"a":-3.9292116205983474,"b":-4.779879614704391,"c":-1.1078269287198572,"d":0.3630362156970482,"e":true}`)
	b.Run("record/own", func(b *testing.B) {
		record := jsonRecord{grow: true}
		must.Succeed(b, record.parse(line, nil, nil, nil))
		record.grow = false
		record.choose([]int{0, 1, 2, 3, 4})
		row := make([]float64, 5)
		for b.Loop() {
			must.Succeed(b, record.parse(line, row, record.place, nil))
		}
	})
	b.Run("record/encoding-json", func(b *testing.B) {
		row := map[string]any{}
		for b.Loop() {
			must.Succeed(b, json.Unmarshal(line, &row))
		}
	})
}

var names20 = func() (names [20]string) {
	for j := range names {
		names[j] = fmt.Sprint("x", j)
	}
	return names
}()
