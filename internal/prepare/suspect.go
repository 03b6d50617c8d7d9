package prepare

import "math"

// A suspect is an extreme of a column that often represents a missing value, with its count. next is the value nearest to it.
type suspect struct {
	value float64
	count int
	next  float64
	known bool // next is known
}

// standIn reports whether v is a common code for missing values: -1, nines, and negative eights, which surveys use for a refusal.
func standIn(v float64) bool {
	switch v {
	case -1, 9, 99, 999, 9999, 99999, 999999, -9, -99, -999, -9999, -99999, -999999, -8, -88, -888, -8888:
		return true
	}
	return false
}

// meet processes a block of a column whose extreme is v. The block is centred, and centred is v in it: the same two subtractions
// give the same bits. side is 1 for the largest value and -1 for the smallest. It passes over the block only if its extreme is such
// a code.
func (s *suspect) meet(v float64, x []float64, centred, side float64) {
	if !standIn(v) || s.count > 0 && side*v < side*s.value {
		s.other(v, side)
		return
	}
	if s.count > 0 && v != s.value {
		s.other(s.value, side)
		s.count = 0
	}
	s.value = v
	near := math.Inf(-1)
	for _, y := range x {
		if y == centred {
			s.count++
		} else {
			near = max(near, side*y)
		}
	}
	if !math.IsInf(near, -1) {
		s.other(v+(side*near-centred), side)
	}
}

// other processes a value that is not the extreme.
func (s *suspect) other(v, side float64) {
	if !s.known || side*v > side*s.next {
		s.next, s.known = v, true
	}
}

// lone reports whether the value is negative and isolated in a column of other values that are not: -1 below values of at least 1,
// and -9 and the like below values of at least 0. It is false for a value that makes up more than half of the column.
func (s *suspect) lone(n int) bool {
	const slack = 1e-9 // relative to a centred value
	least := -slack
	if s.value > -8 {
		least = 1 - slack
	}
	return s.count > 0 && s.value < 0 && s.known && s.next >= least && 2*s.count < n
}
