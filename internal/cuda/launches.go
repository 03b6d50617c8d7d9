package cuda

import (
	"github.com/polydag/polydag/internal/cuda/internal/ptx"
)

// A job is one product of a launch, by the names of its matrices: C = α AB + β E + γ F + δ I, or one of the other kinds of package ptx.
type job struct {
	kind                      int
	a, b, c, e, f             int
	alpha, beta, gamma, delta float64
	rungs                     int // of a ladder: four matrices from here on
	factors                   [16]float64
}

// reads are the matrices that a job needs, writes those that it makes.
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
		return nil // the variances are no matrix
	}
	return []int{j.c}
}

// A course is the launches of an evaluation while they are laid out. A job goes into the first launch in which everything that it reads has been
// made, and nothing that it overwrites is still read: jobs of one launch do not depend on each other.
type course struct {
	launches [][]job
	made     map[int]int // matrix → the first launch that may read it
	read     map[int]int // matrix → the first launch that may overwrite it
	floor    int         // the first launch that takes more jobs
	matrices int         // so far; scratch takes the next
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
// with as many factors as there are doublings, has the residual R to the power 2^doublings. It is Newton's iteration repeated, with the powers of R made
// beside the factors: one launch for each doubling and one for R. It returns the last power of R that was made, whose square is what is left.
//
// Where it converges, the eigenvalues of NY lie within 1 of 1, so that no matrix on the straight way from Y⁻¹ to N is singular: the
// determinant keeps its sign, and a constraint of log-det stays inside its domain, whose border is where sI - A is singular.
func (c *course) inverse(n, y, doublings int) int {
	powers, factors := c.scratch(2), c.scratch(2)
	power := func(i int) int { return powers + (doublings-1-i)%2 } // the last one always lies in the same place
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

// sixteen makes Σ_{k<16} c_k Bᵏ in seven products and four launches, by blocks of four coefficients C_i that one pass over B, B², B³ makes:
//
//	(C₀ + B⁴C₁) + B⁸(C₂ + B⁴C₃).
//
// The powers B⁴ and B⁸ are returned, too.
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

// doubling makes S = Σ_{j<k} Bʲ and D = Σ_{j<k} (j+1) Bʲ for any k above 1, along its binary digits: with P = Bᵐ
//
//	S ← S + PS,   D ← D + PD + mPS,   P ← PP,   m ← 2m,
//	S ← S + P,    D ← D + (m+1)P,     P ← PB,   m ← m + 1.
//
// Every entry is a sum of nonnegative terms. At most 2 log₂ k launches follow each other.
func (c *course) doubling(b, k int) (sum, der int) {
	top := 0
	for k>>(top+1) > 0 {
		top++
	}
	combine := func(j job) int { // the product with factor 0 costs a place in a launch that has room
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
