package files

import (
	"context"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/polydag/polydag/dataset"
)

// A countSource hands out the rows that counts stand for, each as often as it comes. Their own order is lost, so it draws one, always the
// same, in which every order is as likely: whoever takes some of the rows (a sample of them, every fourth) gets what it would get of a table
// in no order, and not rows that are more alike than chance has it. Memory does not grow with the rows.
type countSource struct {
	frame
	counts *dataset.Counts
	ends   []uint64 // of the rows that each different row stands for
	order  shuffle
	at     uint64
}

func newCountSource(file string, c *dataset.Counts, opt Settings) (dataset.Source, error) {
	s := &countSource{counts: c, ends: make([]uint64, len(c.Times))}
	total := uint64(0)
	for i, t := range c.Times {
		total += t
		s.ends[i] = total
	}
	s.order = newShuffle(total)
	var err error
	s.frame, err = newFrame(file, slices.Clone(c.Columns), opt)
	return s, err
}

// Counts returns all rows joined, of all columns.
func (s *countSource) Counts() *dataset.Counts { return s.counts }

func (s *countSource) Next(ctx context.Context, b *dataset.Batch) error {
	s.started = true
	b.Reset()
	if err := ctx.Err(); err != nil {
		return err
	}
	left := s.order.n - s.at
	if left == 0 {
		return io.EOF
	}
	n := min(uint64(batchRows(len(s.chosen))), left)
	d := len(s.counts.Columns)
	for i := range int(n) {
		place := s.order.of(s.at + uint64(i))
		row := sort.Search(len(s.ends), func(k int) bool { return s.ends[k] > place })
		for k, j := range s.chosen {
			level := &s.counts.Levels[j][s.counts.Codes[row*d+j]]
			if !level.IsWord {
				b.Values = append(b.Values, level.Number)
				continue
			}
			b.Values = append(b.Values, math.NaN())
			b.AddText(i, k, 0, []byte(level.Word))
		}
	}
	b.Rows = int(n)
	s.at += n
	return nil
}

func (s *countSource) Close() error { return nil }

// A shuffle is an order of the numbers below n that looks drawn and takes no memory: a Feistel network of six rounds on the numbers below
// the next power of four, gone through again until it comes to one below n, which is less than four times on average. Reference: Black and
// Rogaway, Ciphers with arbitrary finite domains, 2002.
type shuffle struct {
	n    uint64
	half uint // bits of each half
}

func newShuffle(n uint64) shuffle {
	s := shuffle{n: n, half: 1}
	for s.half < 31 && uint64(1)<<(2*s.half) < n {
		s.half++
	}
	return s
}

const shuffleRounds = 6

// of returns the number at place i.
func (s shuffle) of(i uint64) uint64 {
	mask := uint64(1)<<s.half - 1
	for {
		left, right := i>>s.half, i&mask
		for round := range uint64(shuffleRounds) {
			left, right = right, left^mixed(right+round<<32)&mask
		}
		if i = left<<s.half | right; i < s.n {
			return i
		}
	}
}

// mixed scatters the bits of a number: the end of the generator splitmix64 (Steele, Lea and Flood 2014).
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
