package prepare

import "math"

// A suspect is an extreme of a column that often stands for a missing value, and how often it was met. next is the value that comes
// nearest to it.
type suspect struct {
	value float64
	count int
	next  float64
	known bool // next is
}

// standIn reports whether v is one of the numbers that files have in the place of missing values: -1, nines, and where they are
// below zero also eights, as surveys code a refusal.
func standIn(v float64) bool {
	switch v {
	case -1, 9, 99, 999, 9999, 99999, 999999, -9, -99, -999, -9999, -99999, -999999, -8, -88, -888, -8888:
		return true
	}
	return false
}

// meet takes a block of a column whose extreme is v. The block is centred, and centred is what v is in it: the same two
// subtractions give the same bits. side is 1 for the largest value and -1 for the smallest. The cost is a pass over a
// block, and only where its extreme is such a number.
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

// other takes a value that is not the extreme.
func (s *suspect) other(v, side float64) {
	if !s.known || side*v > side*s.next {
		s.next, s.known = v, true
	}
}

// lone reports whether the value is negative and stands apart in a column that is not: -1 below values from 1 on, and -9 and the like below
// values from 0 on. A value of more than half of the column is none.
func (s *suspect) lone(n int) bool {
	const slack = 1e-9 // of a centred value
	least := -slack
	if s.value > -8 {
		least = 1 - slack
	}
	return s.count > 0 && s.value < 0 && s.known && s.next >= least && 2*s.count < n
}
