package score

import "math"

// terms has the terms of a discrete score as integers: round(scale·g(c)) for counts c, where
//
//	g(c) = c·ln c                      alpha = 0, the log-likelihood
//	g(c) = lnΓ(c + alpha) - lnΓ(alpha)   alpha > 0, the marginal likelihood
//
// g(0) is 0. If rows have a weight below 1, c is the number of rows times the weight. Integer sums do not depend on the order. The
// scale is a power of two as large as the sums allow: 2^41 for 10,000 rows and 2^34 for a million, where a term is off by at most
// 3e-11.
type terms struct {
	table []int64 // terms of small counts; unknown if not computed yet, but complete if goroutines share it
	// complete is how many terms at the start of table are never unknown, and last is the last of them before rounding.
	complete int
	last     float64
	alpha    float64
	gamma    float64 // lnΓ(alpha)
	scale    float64
	// weight is the weight of a row.
	weight float64
	offset int64 // subtracted from the terms beyond the table
	// latest caches terms beyond the table, indexed by the lowest bits of the count. It is used only if own is true: one goroutine
	// owns these terms.
	own    bool
	most   int // largest count with a place in table
	latest []countTerm
}

type countTerm struct {
	count uint32
	term  int64
}

// remembered is the number of cached terms of larger counts, a power of two.
const remembered = 4096

// unknown marks a term that was not computed yet. No term reaches 2^62.
const unknown = math.MinInt64

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
func newTerms(alpha, weight float64, drawn bool, scale float64, most int) *terms {
	t := &terms{alpha: alpha, weight: weight, scale: scale, table: make([]int64, most+1), complete: most + 1}
	if alpha > 0 {
		t.gamma, _ = math.Lgamma(alpha)
	}
	if weight != 1 {
		for c := 1; c <= most; c++ {
			t.table[c] = t.beyond(float64(c))
		}
	} else if alpha == 0 {
		for c := 1; c <= most; c++ {
			t.table[c] = t.round(float64(c) * math.Log(float64(c)))
		}
	} else {
		g := 0.0
		for c := 1; c <= most; c++ {
			g += math.Log(alpha + float64(c-1)) // Γ(z + 1) = zΓ(z)
			t.table[c] = t.round(g)
		}
		t.last = g
	}
	if drawn {
		t.unbiased()
	}
	return t
}

// unbiased subtracts the bias of bootstrap samples. The count of a cell with c rows is about Poisson(c) in a sample, and the mean
// of g over that is larger than g(c). To first order 2·g(c) - E g(Poisson(c)) has mean g(c). For larger counts the difference is
// c·g”(c)/2, which tends to weight/2; at 100 it is within 1 % of that.
func (t *terms) unbiased() {
	const exact = 100
	plain := t.table
	t.table = make([]int64, len(plain))
	g := func(k int) float64 {
		if k < len(plain) {
			return float64(plain[k])
		}
		return float64(t.beyond(float64(k)))
	}
	for c := 1; c < len(plain); c++ {
		if c > exact {
			t.table[c] = plain[c] - t.round(t.weight/2)
			continue
		}
		mean, p := 0.0, math.Exp(-float64(c))
		for k := 1; k <= 3*c+20; k++ {
			p *= float64(c) / float64(k)
			mean += p * g(k)
		}
		t.table[c] = int64(math.RoundToEven(2*float64(plain[c]) - mean))
	}
	t.offset = t.round(t.weight / 2)
}

// makeOwned makes the terms owned by one goroutine. The table grows up to the count most when it is needed.
func (t *terms) makeOwned(most int) { t.own, t.most = true, max(most, len(t.table)-1) }

// grow makes the table long enough for the count most.
func (t *terms) grow(most int) {
	known := len(t.table)
	t.table = append(make([]int64, 0, most+1), t.table...)[:most+1]
	for c := known; c <= most; c++ {
		t.table[c] = unknown
	}
}

// reach makes the terms of all counts up to gammaCounts complete, as newTerms computes them.
func (t *terms) reach() {
	if len(t.table) <= gammaCounts {
		t.grow(gammaCounts)
	}
	for ; t.complete <= gammaCounts; t.complete++ {
		t.last += math.Log(t.alpha + float64(t.complete-1))
		t.table[t.complete] = t.round(t.last)
	}
}

func (t *terms) round(g float64) int64 { return int64(math.RoundToEven(g * t.scale)) }

// upTo returns the terms of all counts up to most, or nil if they are not tabulated.
func (t *terms) upTo(most uint32) []int64 {
	if most <= gammaCounts && t.own && t.complete <= gammaCounts {
		t.reach()
	}
	if int(most) < t.complete {
		return t.table[:most+1]
	}
	return nil
}

// of returns the term of a count.
func (t *terms) of(c uint32) int64 {
	if int(c) < len(t.table) && t.table[c] != unknown {
		return t.table[c]
	}
	return t.large(c)
}

// large returns the term of a count beyond the table. The same counts occur in many families, and a lookup is several times as fast
// as a logarithm.
func (t *terms) large(c uint32) int64 {
	if t.own && int(c) >= t.complete && int(c) <= gammaCounts {
		t.reach()
		return t.table[c]
	}
	if int(c) >= len(t.table) && int(c) <= t.most {
		t.grow(t.most)
	}
	if int(c) < len(t.table) {
		t.table[c] = t.beyond(float64(c)) - t.offset
		return t.table[c]
	}
	if !t.own {
		return t.beyond(float64(c)) - t.offset
	}
	if t.latest == nil {
		t.latest = make([]countTerm, remembered)
	}
	at := &t.latest[c%remembered]
	if at.count != c {
		*at = countTerm{c, t.beyond(float64(c)) - t.offset}
	}
	return at.term
}

// beyond computes the term of a count that is larger than gammaCounts, or of any count if rows have a weight.
func (t *terms) beyond(c float64) int64 {
	c *= t.weight
	if t.alpha == 0 {
		return t.round(c * math.Log(c))
	}
	z := c + t.alpha
	if z > stirlingFrom {
		return t.round(stirling(z) - t.gamma)
	}
	g, _ := math.Lgamma(z)
	return t.round(g - t.gamma)
}

// stirlingFrom is where stirling is exact to the last digits.
const stirlingFrom = 100

// stirling returns lnΓ(z) for z > 100 by Stirling's series, whose next term is below 1e-17. It is several times faster than
// math.Lgamma.
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
