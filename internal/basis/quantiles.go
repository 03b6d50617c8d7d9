package basis

import (
	"cmp"
	"slices"
	"sort"
)

// bufferSize is the number of values in one buffer of a sketch. A column with fewer than twice as many rows is
// ranked exactly. Beyond that the error of a rank is at most about log2(n/bufferSize)/(2·bufferSize). At
// 200,000 rows the largest error of cos(7π·rank), the least smooth default function, was 0.0015 (go test
// ./internal/basis -run Ranks -v).
const bufferSize = 1 << 14

// A sketch summarizes the values of one column to estimate their ranks. It has buffers of values, each
// representing 2^level rows. Two full buffers of one level are merged, and every other value moves to the next
// level, alternately the first and the second of each pair, so that errors do not accumulate (Munro and
// Paterson 1980; Manku, Rajagopalan and Lindsay 1998). It is deterministic. Memory is 8·bufferSize bytes per
// level, for log2(n/bufferSize) levels.
type sketch struct {
	pending []float64   // unsorted rows, level 0
	levels  [][]float64 // sorted buffer of each level, or nil
	odd     []bool      // whether the next merge into a level keeps the odd value of each pair
}

func (s *sketch) add(x float64) {
	s.pending = append(s.pending, x+0) // -0 + 0 = 0
	if len(s.pending) == 2*bufferSize {
		full := s.pending
		s.pending = make([]float64, 0, 2*bufferSize)
		slices.Sort(full)
		s.carry(s.halve(full, 0), 0)
	}
}

// halve keeps every other sorted value.
func (s *sketch) halve(sorted []float64, level int) []float64 {
	for len(s.odd) <= level {
		s.odd, s.levels = append(s.odd, false), append(s.levels, nil)
	}
	first := 0
	if s.odd[level] {
		first = 1
	}
	s.odd[level] = !s.odd[level]
	out := make([]float64, 0, bufferSize)
	for i := first; i < len(sorted); i += 2 {
		out = append(out, sorted[i])
	}
	return out
}

// carry stores a buffer whose values represent 2^(level+1) rows each.
func (s *sketch) carry(buffer []float64, level int) {
	for s.levels[level] != nil {
		both := append(s.levels[level], buffer...)
		s.levels[level] = nil
		slices.Sort(both)
		level++
		buffer = s.halve(both, level)
	}
	s.levels[level] = buffer
}

// ranks returns the empirical distribution function of the column, at the middle of its steps:
//
//	u(x) = (rows below x + half of the rows equal to x) / rows,
//
// so that equal values share one rank and u has mean 1/2.
func (s *sketch) ranks() ranks {
	type weighted struct {
		x float64
		w int
	}
	var all []weighted
	for _, x := range s.pending {
		all = append(all, weighted{x, 1})
	}
	for level, buffer := range s.levels {
		for _, x := range buffer {
			all = append(all, weighted{x, 2 << level})
		}
	}
	slices.SortFunc(all, func(a, b weighted) int { return cmp.Compare(a.x, b.x) })
	total := 0
	for _, v := range all {
		total += v.w
	}
	var r ranks
	below := 0
	for i := 0; i < len(all); {
		w := 0
		x := all[i].x
		for ; i < len(all) && all[i].x == x; i++ {
			w += all[i].w
		}
		r.x = append(r.x, x)
		r.u = append(r.u, (float64(below)+float64(w)/2)/float64(total))
		below += w
	}
	return r
}

// ranksOf returns the ranks of a column.
func ranksOf(x []float64) ranks {
	var s sketch
	for _, v := range x {
		s.add(v)
	}
	return s.ranks()
}

// ranks is a distribution function given by its values at knots, linear between them and constant outside.
type ranks struct{ x, u []float64 }

// at returns u(x). The column has at least one value.
func (r ranks) at(x float64) float64 {
	i := sort.SearchFloat64s(r.x, x)
	switch {
	case i == len(r.x):
		return r.u[i-1]
	case r.x[i] == x || i == 0:
		return r.u[i]
	}
	lo, hi := r.x[i-1], r.x[i]
	share := (x/2 - lo/2) / (hi/2 - lo/2) // halves, because the difference of two finite numbers may overflow
	return r.u[i-1] + share*(r.u[i]-r.u[i-1])
}
