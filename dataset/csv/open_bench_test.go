package csv

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// benchTable writes about 32 MB of 100 columns, whose fields come from field.
func benchTable(field func(dst []byte, column int, rng *rand.Rand) []byte) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var text []byte
	for j := range 100 {
		text = fmt.Appendf(text, "v%d,", j)
	}
	text[len(text)-1] = '\n'
	for len(text) < 32<<20 {
		for j := range 100 {
			text = append(field(text, j, rng), ',')
		}
		text[len(text)-1] = '\n'
	}
	return text
}

// BenchmarkOpenCSV measures only the reading: the text is in memory and the batches are discarded.
func BenchmarkOpenCSV(b *testing.B) {
	fixed := func(dst []byte, _ int, rng *rand.Rand) []byte {
		return strconv.AppendFloat(dst, rng.NormFloat64(), 'f', 6, 64)
	}
	for _, c := range []struct {
		name  string
		some  []int
		field func([]byte, int, *rand.Rand) []byte
	}{
		{"fixed6", nil, fixed},
		{"digits17", nil, func(dst []byte, _ int, rng *rand.Rand) []byte {
			return strconv.AppendFloat(dst, rng.NormFloat64(), 'g', 17, 64)
		}},
		{"integers", nil, func(dst []byte, _ int, rng *rand.Rand) []byte { return strconv.AppendInt(dst, rng.Int64N(10_000), 10) }},
		{"tenthMissing", nil, func(dst []byte, j int, rng *rand.Rand) []byte {
			if rng.IntN(10) == 0 {
				return dst
			}
			return fixed(dst, j, rng)
		}},
		{"tenthText", nil, func(dst []byte, j int, rng *rand.Rand) []byte {
			if j%10 == 0 {
				return append(dst, [...]string{"red", "green", "blue", "not so green"}[rng.IntN(4)]...)
			}
			return fixed(dst, j, rng)
		}},
		{"selectTwo", []int{3, 70}, fixed},
	} {
		text := benchTable(c.field)
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("%s/threads=%d", c.name, threads), func(b *testing.B) {
				opt := DefaultSettings()
				opt.Threads = threads
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					s, err := Open(bytes.NewReader(text), opt)
					must.Succeed(b, err)
					if c.some != nil {
						must.Succeed(b, s.Select(c.some))
					}
					var batch dataset.Batch
					for err == nil {
						err = s.Next(context.Background(), &batch)
					}
					if err != io.EOF {
						b.Fatal(err)
					}
					must.Succeed(b, s.Close())
				}
			})
		}
	}
}
