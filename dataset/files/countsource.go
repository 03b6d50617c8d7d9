package files

import (
	"context"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/splitmix"
)

// A countSource returns the rows of counts, each as often as it occurs. The original order is lost, so it uses
// a fixed pseudorandom order: a subset such as every fourth row is then a fair sample, not a run of similar
// rows. Memory does not grow with the rows.
type countSource struct {
	frame
	counts *dataset.Counts
	ends   []uint64 // cumulative counts of the distinct rows
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

// Counts returns the aggregated rows with all columns.
func (s *countSource) Counts() *dataset.Counts { return s.counts }

func (s *countSource) Next(ctx context.Context, b *dataset.Batch) error {
	if err := s.begin(ctx, b); err != nil {
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

// A shuffle is a pseudorandom permutation of the numbers below n that takes no memory: a Feistel network of six rounds on the
// numbers below the next power of four, repeated until the result is below n, fewer than four times on average. Reference: Black
// and Rogaway, Ciphers with arbitrary finite domains, 2002.
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
			left, right = right, left^splitmix.Mix(right+round<<32)&mask
		}
		if i = left<<s.half | right; i < s.n {
			return i
		}
	}
}
