package cuda

import "math/bits"

// twice extends S = Σ_{j<m} Bʲ and D = Σ_{j<m} (j+1) Bʲ to 2m, with P = Bᵐ:
//
//	S ← S + PS,   D ← D + PD + mPS.
func (c *course) twice(p, sum, der, m int) (twiceSum, twiceDer int) {
	more := c.multiply(p, sum)
	twiceSum = c.make(job{a: p, b: sum, alpha: 1, e: sum, beta: 1})
	return twiceSum, c.make(job{a: p, b: der, alpha: 1, e: der, beta: 1, f: more, gamma: float64(m)})
}

// power computes (I + X)ᵏ - I along the binary digits of k, which is at least 1, as acyclic.Binomial does:
//
//	E ← E² + 2E,   E ← E + X + XE.
func (c *course) power(x, k int) int {
	e := x
	for bit := bits.Len(uint(k)) - 2; bit >= 0; bit-- {
		e = c.make(job{a: e, b: e, alpha: 1, e: e, beta: 2})
		if k>>bit&1 == 1 {
			e = c.make(job{a: x, b: e, alpha: 1, e: e, beta: 1, f: x, gamma: 1})
		}
	}
	return e
}

// A stage is a part of the launches, from begin to before end, after which a sum of powers may end. If no entry
// of the power exceeds the limit, sum and der are those of the constraint.
type stage struct {
	begin, end      int
	power, sum, der int
}

// stages computes Σ_{j<m} Bʲ and Σ_{j<m} (j+1) Bʲ for m = 1, 2, 4, … up to the first m ≥ d, one stage each,
// with Bᵐ.
func (c *course) stages(b, d int) []stage {
	one := c.make(job{a: b, b: b, delta: 1})
	out := []stage{{end: len(c.launches), power: b, sum: one, der: one}}
	for m := 1; m < d; m *= 2 {
		last := out[len(out)-1]
		c.floor = len(c.launches)
		next := stage{begin: c.floor, power: c.multiply(last.power, last.power)}
		next.sum, next.der = c.twice(last.power, last.sum, last.der, m)
		next.end = len(c.launches)
		out = append(out, next)
	}
	return out
}
