// Package resample computes how often each row of a table occurs in a bootstrap sample, from a seed and a
// number only. It works row by row, with memory that does not grow with the rows.
//
//	s := resample.Draw{Kind: resample.Bootstrap, Seed: 1, Replicate: 7}.Start([]int{rows})
//	for range rows {
//		times := s.Next(0)
//	}
package resample

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/internal/splitmix"
)

// The kinds of resampling.
const (
	// Bootstrap draws as many rows as there are, with replacement (Efron 1979).
	Bootstrap = "bootstrap"
	// Half draws half of the rows, without replacement. Replicates 2k and 2k+1 have no row in common: they are the complementary pairs
	// of Shah and Samworth (2013), "Variable selection with error control: another look at stability selection".
	Half = "half"
)

// Draw names one resampled table. It is a plain value, which another process makes the same table from.
type Draw struct {
	Kind      string `json:"kind"`
	Seed      uint64 `json:"seed"`
	Replicate int    `json:"replicate"` // from 0
}

// Validate reports what keeps a draw from being one.
func (d Draw) Validate() error {
	if d.Kind != Bootstrap && d.Kind != Half {
		return fmt.Errorf("resampling %q is unknown; choose %s or %s", d.Kind, Bootstrap, Half)
	}
	if d.Replicate < 0 {
		return fmt.Errorf("replicate %d, want 0 or more", d.Replicate)
	}
	return nil
}

// A Stream returns how often each row is drawn, in the order of the rows. Rows are drawn within strata, each
// with its own number of draws.
type Stream struct {
	kind   string
	second bool // the second half of a complementary pair
	rng    *rand.Rand
	left   []int // rows of each stratum that are still to come
	draws  []int // draws that are left for them; of halves those of the first of the pair
	other  []int // the draws that are left for the second half
}

// Start starts the stream of a draw over strata of the given sizes. A table without strata is one stratum.
func (d Draw) Start(sizes []int) *Stream {
	s := &Stream{kind: d.Kind, left: make([]int, len(sizes)), draws: make([]int, len(sizes))}
	copy(s.left, sizes)
	copy(s.draws, sizes)
	number := uint64(d.Replicate)
	if d.Kind == Half {
		s.second, number = d.Replicate%2 == 1, number/2
		s.other = make([]int, len(sizes))
		for k, n := range sizes {
			s.draws[k], s.other[k] = n/2, n/2
		}
	}
	// Both words of the state depend on the seed and on the number: states that share a word give related draws.
	at := splitmix.Mix(d.Seed) + 2*number
	s.rng = rand.New(rand.NewPCG(splitmix.Mix(at), splitmix.Mix(at+1)))
	return s
}

// Next returns how often the next row is drawn, which is of the given stratum. It panics when the stratum has no more rows.
//
// Given what the rows before it have, a row of a bootstrap sample has a binomial number of the draws that are left, each with
// probability one over the rows that are left: the numbers of all rows are a multinomial draw, exactly.
func (s *Stream) Next(stratum int) int {
	left := s.left[stratum]
	if left == 0 {
		panic(fmt.Sprintf("resample: stratum %d has no more rows", stratum))
	}
	s.left[stratum]--
	if s.kind == Half {
		return s.half(stratum, left)
	}
	n := s.binomial(s.draws[stratum], 1/float64(left))
	s.draws[stratum] -= n
	return n
}

// half decides between the first of a pair, the second, and, for the last of an odd number of rows, neither.
func (s *Stream) half(stratum, left int) int {
	u := s.rng.IntN(left)
	switch first, second := s.draws[stratum], s.other[stratum]; {
	case u < first:
		s.draws[stratum]--
		return times(!s.second)
	case u < first+second:
		s.other[stratum]--
		return times(s.second)
	}
	return 0
}

func times(drawn bool) int {
	if drawn {
		return 1
	}
	return 0
}

// binomial draws by inversion, which takes about as many steps as the number is large: in a bootstrap sample that is about 1. Where
// the chance of 0 is too small for a float64, the sum of two draws of half as many is taken.
func (s *Stream) binomial(n int, p float64) int {
	if p >= 1 || n == 0 {
		return n
	}
	at := math.Exp(float64(n) * math.Log1p(-p)) // the chance of 0
	if at < 1e-200 {
		return s.binomial(n/2, p) + s.binomial(n-n/2, p)
	}
	u, odds := s.rng.Float64(), p/(1-p)
	k := 0
	for ; k < n && u >= at; k++ {
		u -= at
		at *= odds * float64(n-k) / float64(k+1)
	}
	return k
}
