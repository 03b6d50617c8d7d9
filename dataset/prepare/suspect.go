package prepare

import (
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
)

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

const (
	// zeroNeighbours is the number of smallest values above 0 whose distances are compared with that of the smallest to 0.
	zeroNeighbours = 10
	// zeroGap is the least distance to 0 in median distances of these values, and zeroSpread the least one in standard deviations of
	// the values above 0, by their 10 % and 90 % quantiles, so that a code such as 999 does not count.
	zeroGap    = 3
	zeroSpread = 0.75
	// zeroSkew is the largest skewness of the values above 0, (q90 + q10 - 2·q50)/(q90 - q10), and oftenSkew that if 0 occurs in more
	// than oftenZero of the rows: amounts, which are often 0, are skewed. It is 0.46 for exponential values, and 0.19 for log-normal
	// ones with a standard deviation of the logarithms of 0.3.
	zeroSkew, oftenSkew, oftenZero = 0.3, 0.1, 0.05
)

// loneZeros returns how often a column is 0 if 0 is hardly possible beside its other values, as in a column of blood pressures: all of
// them are larger and far from 0 compared with their spread. Such zeros often stand for missing values. Counts and amounts, such as
// revenues, have values close to 0 or a long tail.
func (s *columnStats) loneZeros() int {
	if s.min != 0 || s.distinct.slots == nil {
		return 0
	}
	zeros := 0
	var above []float64
	times := map[float64]int{}
	s.distinct.each(func(v float64, k int) {
		if v == 0 {
			zeros = k
			return
		}
		above, times[v] = append(above, v), k
	})
	if len(above) < 2*zeroNeighbours || 2*zeros > s.n {
		return 0
	}
	slices.Sort(above)
	var gaps []float64
	for k := range zeroNeighbours {
		gaps = append(gaps, above[k+1]-above[k])
	}
	slices.Sort(gaps)
	quantile := func(q float64) float64 {
		left := q * float64(s.n-zeros)
		for _, v := range above {
			if left -= float64(times[v]); left < 0 {
				return v
			}
		}
		return above[len(above)-1]
	}
	low, middle, high := quantile(0.1), quantile(0.5), quantile(0.9)
	const gaussian = 2.563 // distance of these quantiles in standard deviations of a Gaussian
	skew := zeroSkew
	if float64(zeros) > oftenZero*float64(s.n) {
		skew = oftenSkew
	}
	if above[0] < zeroGap*gaps[len(gaps)/2] || above[0] < zeroSpread*(high-low)/gaussian || low+high-2*middle > skew*(high-low) {
		return 0
	}
	return zeros
}

// wordZeros counts the zeros of each column, by the words of the column of targets. A column that is knocked out is 0, and that is no
// missing value.
type wordZeros struct{ by [][]int32 }

// add counts rows whose last value is the index of a word.
func (z *wordZeros) add(rows []float64, width int) {
	for ; len(rows) > 0; rows = rows[width:] {
		k := int(rows[width-1])
		for k >= len(z.by) {
			z.by = append(z.by, nil)
		}
		if z.by[k] == nil {
			z.by[k] = make([]int32, width-1)
		}
		for j, x := range rows[:width-1] {
			if x == 0 {
				z.by[k][j]++
			}
		}
	}
}

// forgive subtracts the zeros in rows with an intervention on the column from those that may stand for missing values. of has the environment
// of each word, or -1.
func (z *wordZeros) forgive(p *dataset.Profile, names []string, r *dataset.Environments, of []int) {
	set := make([]int, len(names))
	for k, zeros := range z.by {
		if zeros == nil || of[k] < 0 {
			continue
		}
		for _, v := range r.Targets[of[k]] {
			set[v] += int(zeros[v])
		}
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		if v := slices.Index(names, c.Name); v >= 0 && c.Suspect == 0 {
			if c.Suspects -= set[v]; c.Suspects <= 0 {
				c.Suspects, c.SuspectLone = 0, false
			}
		}
	}
}
