package prepare

import (
	"math"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/vec"
)

// columnStats has the statistics of the rows of a column so far.
type columnStats struct {
	n, missing int
	min, max   float64
	base, mean float64 // the first value, and the mean minus that value, so that a large mean costs no precision
	m2, m3, m4 float64 // Σ (x-base-mean)^k

	integer         bool
	rising, falling bool // strictly monotone
	risen, fallen   bool // monotone, with ties
	last            float64
	distinct        distinct

	// These are the state of the majority vote of Boyer and Moore, which is used if there are too many distinct values to count.
	// candidate is the only value that can make up more than half of the column, and seen is its count since it was chosen.
	candidate   float64
	votes, seen int

	low, high suspect
}

// add adds the next values of the column and overwrites x. squares is a buffer of the same length.
func (s *columnStats) add(x, squares []float64) {
	if len(x) == 0 {
		return
	}
	if s.risen || s.fallen {
		last, rest := s.last, x
		if s.n == 0 {
			last, rest = x[0], x[1:]
		}
		for _, v := range rest {
			s.rising, s.falling = s.rising && v > last, s.falling && v < last
			s.risen, s.fallen = s.risen && v >= last, s.fallen && v <= last
			if last = v; !s.risen && !s.fallen {
				break
			}
		}
		s.last = x[len(x)-1]
	}
	s.vote(x)
	s.addMoments(x, squares[:len(x)])
}

// vote counts the distinct values or continues the majority vote.
func (s *columnStats) vote(x []float64) {
	if s.distinct.slots != nil || s.n == 0 {
		if x = x[s.distinct.add(x):]; len(x) == 0 {
			return
		}
		// From here on the vote continues with the counts.
		s.distinct.each(func(v float64, _ int) { s.integer = s.integer && v == math.Trunc(v) })
		s.candidate, s.seen = s.distinct.top()
		s.votes = max(0, 2*s.seen-s.distinct.total)
		s.distinct.slots = nil
	}
	if s.integer {
		for _, v := range x {
			if v != math.Trunc(v) {
				s.integer = false
				break
			}
		}
	}
	// Numbers are compared by their bits: one instruction instead of three. -0 + 0 = 0.
	candidate, votes, seen := math.Float64bits(s.candidate), s.votes, s.seen
	if votes >= len(x) { // the candidate stays for any values
		same := 0
		for _, v := range x {
			if math.Float64bits(v+0) == candidate {
				same++
			}
		}
		s.votes, s.seen = votes+2*same-len(x), seen+same
		return
	}
	for i := 0; i < len(x); i++ {
		v := math.Float64bits(x[i] + 0)
		if i+1 < len(x) {
			// Two different values that are not the candidate cancel each other.
			if w := math.Float64bits(x[i+1] + 0); v != w && v != candidate && w != candidate {
				i++
				continue
			}
		}
		if v == candidate {
			votes++
			seen++
		} else if votes--; votes < 0 {
			candidate, votes, seen = v, 1, 1
		}
	}
	s.candidate, s.votes, s.seen = math.Float64frombits(candidate), votes, seen
}

// addMoments adds the extremes and power sums of the values. These are computed about their own mean and then merged. With n_a and
// n_b values, n both, and δ the difference of the means,
//
//	M2 = M2a + M2b + δ²·n_a·n_b/n
//	M3 = M3a + M3b + δ³·n_a·n_b(n_a-n_b)/n² + 3δ(n_a·M2b - n_b·M2a)/n
//	M4 = M4a + M4b + δ⁴·n_a·n_b(n_a²-n_a·n_b+n_b²)/n³ + 6δ²(n_a²·M2b + n_b²·M2a)/n² + 4δ(n_a·M3b - n_b·M3a)/n.
//
// Reference: Pébay, Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical
// moments, SAND2008-6212.
func (s *columnStats) addMoments(x, squares []float64) {
	if s.n == 0 {
		s.base, s.min, s.max = x[0], x[0], x[0]
	}
	lo, hi, mean := centreColumn(x, s.base)
	s.low.meet(lo, x, (lo-s.base)-mean, -1)
	s.high.meet(hi, x, (hi-s.base)-mean, 1)
	k := float64(len(x))
	s.min, s.max = min(s.min, lo), max(s.max, hi)
	vec.Square(squares, x)
	m2, m3, m4 := vec.Dot(x, x), vec.Dot(squares, x), vec.Dot(squares, squares)
	if s.n == 0 {
		s.n, s.mean, s.m2, s.m3, s.m4 = len(x), mean, m2, m3, m4
		return
	}
	a := float64(s.n)
	n := a + k
	d := mean - s.mean
	r := d / n
	s.m4 += m4 + d*r*r*r*a*k*(a*a-a*k+k*k) + 6*r*r*(a*a*m2+k*k*s.m2) + 4*r*(a*m3-k*s.m3)
	s.m3 += m3 + d*r*r*a*k*(a-k) + 3*r*(a*m2-k*s.m2)
	s.m2 += m2 + d*r*a*k
	s.mean += r * k
	s.n += len(x)
}

// centreColumn subtracts the mean from x, which is not empty, and returns the extremes and the mean minus base. It folds the column
// into rows of 32 values for the kernel.
func centreColumn(x []float64, base float64) (lo, hi, mean float64) {
	const width = 32
	lo, hi = x[0], x[0]
	var ref, sums, los, his [width]float64
	for i := range width {
		ref[i], los[i], his[i] = base, lo, hi
	}
	whole := len(x) / width * width
	vec.Centre(x[:whole], x[:whole], ref[:], sums[:], los[:], his[:])
	sum := 0.0
	for i := range width {
		sum += sums[i]
		if los[i] < lo {
			lo = los[i]
		}
		if his[i] > hi {
			hi = his[i]
		}
	}
	for i, v := range x[whole:] {
		lo, hi = min(lo, v), max(hi, v)
		x[whole+i] = v - base
		sum += v - base
	}
	mean = sum / float64(len(x))
	for i := range width {
		ref[i] = mean
	}
	vec.Centre(x[:whole], x[:whole], ref[:], sums[:], los[:], his[:])
	for i := range x[whole:] {
		x[whole+i] -= mean
	}
	return lo, hi, mean
}

// profile returns the statistics as a ColumnProfile.
func (s *columnStats) profile() dataset.ColumnProfile {
	p := dataset.ColumnProfile{Kind: dataset.Number.String(), Missing: s.missing, Distinct: s.distinct.count(), Min: s.min + 0, Max: s.max + 0, Mean: s.base + s.mean}
	if s.n == 0 {
		return p
	}
	s.distinct.each(func(v float64, _ int) { s.integer = s.integer && v == math.Trunc(v) })
	if s.integer {
		p.Kind = dataset.Integer.String()
	}
	for _, e := range []struct {
		at    float64
		found suspect
	}{{s.max, s.high}, {s.min, s.low}} {
		if lone := e.found.lone(s.n) && p.Distinct >= leastRowsForID; e.found.count > 0 && e.found.value == e.at && (lone || e.at != -1) {
			p.Suspect, p.Suspects, p.SuspectLone = e.found.value, e.found.count, lone
		}
	}
	if zeros := s.loneZeros(); zeros > 0 {
		p.Suspect, p.Suspects, p.SuspectLone = 0, zeros, true
	}
	p.Sorted = s.min < s.max && (s.risen || s.fallen)
	p.Monotone = s.n > 1 && (s.rising || s.falling)
	n := float64(s.n)
	if s.m2 > 0 {
		p.Std = math.Sqrt(s.m2 / n)
		if skew, kurt := s.m3/n/(p.Std*p.Std*p.Std), s.m4/s.m2/(s.m2/n)-3; skew-skew == 0 && kurt-kurt == 0 {
			p.Skewness, p.Kurtosis = skew, kurt
		}
	}
	top, times := s.candidate, s.seen
	if s.distinct.slots != nil {
		top, times = s.distinct.top()
	}
	if 2*times > s.n {
		p.Top, p.TopShare = top, float64(times)/n
	}
	return p
}
