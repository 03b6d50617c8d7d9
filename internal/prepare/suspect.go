package prepare

// A suspect is an extreme of a column that often stands for a missing value, and how often it was met.
type suspect struct {
	value float64
	count int
}

// standIn reports whether v is one of the numbers that files have in the place of missing values: nines, and where they are
// below zero also eights, as surveys code a refusal.
func standIn(v float64) bool {
	switch v {
	case 9, 99, 999, 9999, 99999, 999999, -9, -99, -999, -9999, -99999, -999999, -8, -88, -888, -8888:
		return true
	}
	return false
}

// meet takes a block of a column whose extreme is v. The block is centred, and centred is what v is in it: the same two
// subtractions give the same bits. side is 1 for the largest value and -1 for the smallest. The cost is a pass over a
// block, and only where its extreme is such a number.
func (s *suspect) meet(v float64, x []float64, centred, side float64) {
	if !standIn(v) || s.count > 0 && side*v < side*s.value {
		return
	}
	if s.count == 0 || v != s.value {
		*s = suspect{value: v}
	}
	for _, y := range x {
		if y == centred {
			s.count++
		}
	}
}
