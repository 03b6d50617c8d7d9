package score

import "math"

// terms holds the summands of a discrete score as integers: round(scale·g(c)) for counts c, where
//
//	g(c) = c·ln c                      alpha = 0, the log-likelihood
//	g(c) = lnΓ(c + alpha) - lnΓ(alpha)   alpha > 0, the marginal likelihood
//
// less half a surcharge where c > 0, and g(0) is 0. Where a row counts less than 1, c is the number of rows times that weight. Integers add up to the same number in any order. The scale is a power of two as large as
// the sums allow: 2^41 for 10,000 rows and 2^34 for a million, where a term is off by at most 3e-11.
type terms struct {
	table []int64 // of small counts
	alpha float64
	gamma float64 // lnΓ(alpha)
	scale float64
	// weight is what a row counts.
	weight float64
	half   float64 // of the surcharge
}

// scaleFor returns the scale at which no sum over n rows reaches 2^62: each term is at most
// c·(ln(n + ess) + |ln alpha|), and alpha is at least ess/maxCells.
func scaleFor(n, ess float64) float64 {
	if !(ess > 0) {
		ess = 1
	}
	bound := 4 * n * (2 + math.Log(n+ess) + math.Abs(math.Log(ess)) + math.Log(maxCells))
	_, exp := math.Frexp(bound)
	return math.Ldexp(1, 62-exp)
}

// newTerms tabulates the terms of counts up to most.
func newTerms(alpha, weight, surcharge, scale float64, most int) *terms {
	t := &terms{alpha: alpha, weight: weight, half: surcharge / 2, scale: scale, table: make([]int64, most+1)}
	if alpha > 0 {
		t.gamma, _ = math.Lgamma(alpha)
	}
	if weight != 1 {
		for c := 1; c <= most; c++ {
			t.table[c] = t.beyond(float64(c))
		}
		return t
	}
	if alpha == 0 {
		for c := 1; c <= most; c++ {
			t.table[c] = t.round(float64(c) * math.Log(float64(c)))
		}
		return t
	}
	g := 0.0
	for c := 1; c <= most; c++ {
		g += math.Log(alpha + float64(c-1)) // Γ(z + 1) = zΓ(z)
		t.table[c] = t.round(g)
	}
	return t
}

func (t *terms) round(g float64) int64 { return int64(math.RoundToEven((g - t.half) * t.scale)) }

// of returns the term of a count.
func (t *terms) of(c uint32) int64 {
	if int(c) < len(t.table) {
		return t.table[c]
	}
	return t.beyond(float64(c))
}

// beyond is of for counts outside the table, which are larger than gammaCounts.
func (t *terms) beyond(c float64) int64 {
	c *= t.weight
	if t.alpha == 0 {
		return t.round(c * math.Log(c))
	}
	return t.round(stirling(c+t.alpha) - t.gamma)
}

// stirling returns lnΓ(z) for z > 100 by the first terms of Stirling's series, of which the next is below 1e-17: one logarithm,
// where math.Lgamma takes several times as long.
func stirling(z float64) float64 {
	const halfLog2Pi = 0.91893853320467274178
	w := 1 / z
	u := w * w
	return (z-0.5)*math.Log(z) - z + halfLog2Pi + w*(1./12-u*(1./360-u/1260))
}

// sum adds up the terms of some counts.
func (t *terms) sum(counts []uint32) (s int64) {
	for _, c := range counts {
		s += t.of(c)
	}
	return s
}
