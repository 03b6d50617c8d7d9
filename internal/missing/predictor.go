package missing

import (
	"math"
	"slices"

	"github.com/polydag/polydag/independence"
)

// A predictor tests whether a column predicts that other columns are missing. It keeps sums over all rows, so that a test reads only the
// rows in which the other column is missing.
type predictor struct {
	values []float64 // values of a numeric column less their mean; NaN is missing
	codes  []int32   // codes of a discrete column; -1 is missing
	counts []float64 // rows of each code
	n      float64   // rows with a value, and the sums of the values and of their squares
	sum    float64
	square float64
}

// newPredictor reads column k of rows with d columns.
func newPredictor(rows []float64, d, k int, discrete bool) *predictor {
	x := &predictor{}
	var there []float64
	for at := k; at < len(rows); at += d {
		x.values = append(x.values, rows[at])
		if v := rows[at]; v == v {
			there = append(there, v)
			x.sum += v
		}
	}
	x.n = float64(len(there))
	mean := x.sum / max(1, x.n)
	if x.sum = 0; !discrete {
		for i := range x.values {
			x.values[i] -= mean
			if v := x.values[i]; v == v {
				x.sum += v
				x.square += v * v
			}
		}
		return x
	}
	slices.Sort(there)
	levels := slices.Compact(there)
	x.codes, x.counts = make([]int32, len(x.values)), make([]float64, len(levels))
	for i, v := range x.values {
		x.codes[i] = -1
		if v == v {
			c, _ := slices.BinarySearch(levels, v)
			x.codes[i] = int32(c)
			x.counts[c]++
		}
	}
	return x
}

// chance returns the p-value of the test that the column has the same distribution in the given rows and the others, or NaN if there are
// too few: of its categories, or of its mean.
func (x *predictor) chance(absent []int32) float64 {
	if x.codes != nil {
		return x.byLevel(absent)
	}
	return x.byMean(absent)
}

// byMean compares the means by Welch's test, in its normal approximation.
func (x *predictor) byMean(absent []int32) float64 {
	n, sum, square := 0.0, 0.0, 0.0
	for _, i := range absent {
		if v := x.values[i]; v == v {
			n++
			sum += v
			square += v * v
		}
	}
	m := x.n - n
	if min(n, m) < leastGroup {
		return math.NaN()
	}
	a, b := sum/n, (x.sum-sum)/m
	spread := max(0, square-n*a*a)/(n*(n-1)) + max(0, x.square-square-m*b*b)/(m*(m-1))
	if !(spread > 0) {
		return math.NaN()
	}
	return math.Erfc(math.Abs(a-b) / math.Sqrt(2*spread))
}

// byLevel tests whether each category has the same share of the given rows.
func (x *predictor) byLevel(absent []int32) float64 {
	counts, n := make([]float64, len(x.counts)), 0.0
	for _, i := range absent {
		if c := x.codes[i]; c >= 0 {
			counts[c]++
			n++
		}
	}
	m := x.n - n
	if min(n, m) < leastGroup {
		return math.NaN()
	}
	sum, df := 0.0, -1.0
	for c, total := range x.counts {
		if total*min(n, m)/x.n < 1 { // too rare for the approximation
			continue
		}
		df++
		// The other rows differ from their expected number by as much.
		off := counts[c] - total*n/x.n
		sum += off * off * (x.n/(total*n) + x.n/(total*m))
	}
	if df < 1 {
		return math.NaN()
	}
	return independence.ChiSquared(sum, df)
}
