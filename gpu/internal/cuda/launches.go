package cuda

import (
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
)

// A job is one product of a launch, by the indices of its matrices: C = α AB + β E + γ F + δ I, or another kind
// of package ptx.
type job struct {
	kind                      int
	a, b, c, e, f             int
	alpha, beta, gamma, delta float64
	rungs                     int // first of the four matrices of a ladder
	factors                   [16]float64
}

// reads returns the matrices that a job reads, and writes those that it writes.
func (j job) reads() []int {
	switch j.kind {
	case ptx.KindLadder:
		return []int{j.a, j.b, j.e, j.f}
	case ptx.KindColumns:
		return []int{j.a, j.b, j.e}
	}
	out := []int{j.a, j.b}
	if j.beta != 0 {
		out = append(out, j.e)
	}
	if j.gamma != 0 {
		out = append(out, j.f)
	}
	return out
}

func (j job) writes() []int {
	switch j.kind {
	case ptx.KindLadder:
		return []int{j.c, j.rungs, j.rungs + 1, j.rungs + 2, j.rungs + 3}
	case ptx.KindColumns:
		return nil // the variances are not a matrix
	}
	return []int{j.c}
}

// A course is the list of launches of an evaluation during planning. A job goes into the first launch in which
// its inputs are ready and its outputs are no longer read. So the jobs of one launch are independent.
type course struct {
	launches [][]job
	made     map[int]int // matrix → the first launch that may read it
	read     map[int]int // matrix → the first launch that may overwrite it
	floor    int         // first launch that accepts more jobs
	matrices int         // number of matrices so far; scratch takes the next
}

func newCourse(matrices int) *course {
	return &course{made: map[int]int{}, read: map[int]int{}, matrices: matrices}
}

func (c *course) scratch(n int) int {
	c.matrices += n
	return c.matrices - n
}

func (c *course) add(j job) {
	at := c.floor
	for _, m := range j.reads() {
		at = max(at, c.made[m])
	}
	for _, m := range j.writes() {
		at = max(at, c.made[m], c.read[m])
	}
	for len(c.launches) <= at {
		c.launches = append(c.launches, nil)
	}
	c.launches[at] = append(c.launches[at], j)
	for _, m := range j.reads() {
		c.read[m] = max(c.read[m], at+1)
	}
	for _, m := range j.writes() {
		c.made[m] = at + 1
	}
}

func (c *course) multiply(a, b int) int { return c.make(job{a: a, b: b, alpha: 1}) }

func (c *course) make(j job) int {
	j.c = c.scratch(1)
	c.add(j)
	return j.c
}

// inverse improves y, which is nearly the inverse of n. With R = I - NY,
//
//	Y ← Y (I + R)(I + R²)(I + R⁴) …,
//
// with one factor per doubling, has the residual R to the power 2^doublings. It is a repeated Newton iteration
// with one launch for each doubling and one for R. It returns the last computed power of R, whose square is the
// residual.
//
// If it converges, the eigenvalues of NY lie within 1 of 1, so no matrix on the line from Y⁻¹ to N is singular.
// So the determinant keeps its sign, and a log-det constraint stays inside its domain, which ends where sI - A
// is singular.
func (c *course) inverse(n, y, doublings int) int {
	powers, factors := c.scratch(2), c.scratch(2)
	power := func(i int) int { return powers + (doublings-1-i)%2 } // the last one always has the same position
	c.add(job{a: n, b: y, c: power(0), alpha: -1, delta: 1})
	from := y
	for i := range doublings {
		to := y
		if i < doublings-1 {
			to = factors + i%2
			c.add(job{a: power(i), b: power(i), c: power(i + 1), alpha: 1})
		}
		c.add(job{a: from, b: power(i), c: to, e: from, alpha: 1, beta: 1})
		from = to
	}
	return power(doublings - 1)
}

// sixteen computes Σ_{k<16} c_k Bᵏ with seven products and four launches. One pass over B, B², B³ computes the
// blocks C_i of four coefficients:
//
//	(C₀ + B⁴C₁) + B⁸(C₂ + B⁴C₃).
//
// It also returns the powers B⁴ and B⁸.
func (c *course) sixteen(b int, coefficients [16]float64) (sum, b4, b8 int) {
	b2 := c.multiply(b, b)
	b3, rungs := c.scratch(1), c.scratch(4)
	c.add(job{kind: ptx.KindLadder, a: b, b: b2, c: b3, e: b, f: b2, rungs: rungs, factors: coefficients})
	b4 = c.multiply(b2, b2)
	b8 = c.multiply(b4, b4)
	for _, i := range []int{0, 2} {
		c.add(job{a: b4, b: rungs + i + 1, c: rungs + i, e: rungs + i, alpha: 1, beta: 1})
	}
	c.add(job{a: b8, b: rungs + 2, c: rungs, e: rungs, alpha: 1, beta: 1})
	return rungs, b4, b8
}

// doubling computes S = Σ_{j<k} Bʲ and D = Σ_{j<k} (j+1) Bʲ for any k above 1, along its binary digits: with P
// = Bᵐ
//
//	S ← S + PS,   D ← D + PD + mPS,   P ← PP,   m ← 2m,
//	S ← S + P,    D ← D + (m+1)P,     P ← PB,   m ← m + 1.
//
// Every entry is a sum of nonnegative terms. It needs at most 2 log₂ k consecutive launches.
func (c *course) doubling(b, k int) (sum, der int) {
	top := 0
	for k>>(top+1) > 0 {
		top++
	}
	combine := func(j job) int { // the product with factor 0 fits in a launch with free space
		j.a, j.b = b, b
		return c.make(j)
	}
	p, m := b, 1
	for bit := top - 1; bit >= 0; bit-- {
		odd := k>>bit&1 == 1
		if m == 1 {
			sum, der = combine(job{e: b, beta: 1, delta: 1}), combine(job{e: b, beta: 2, delta: 1})
		} else {
			sum, der = c.twice(p, sum, der, m)
		}
		m *= 2
		if bit > 0 || odd {
			p = c.multiply(p, p)
		}
		if odd {
			sum = combine(job{e: sum, beta: 1, f: p, gamma: 1})
			der = combine(job{e: der, beta: 1, f: p, gamma: float64(m + 1)})
			m++
			if bit > 0 {
				p = c.multiply(p, b)
			}
		}
	}
	return sum, der
}
