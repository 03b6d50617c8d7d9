package optimize

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// curvature is the L-BFGS approximation of the second derivatives. It holds the last steps s, the gradient
// changes y along them, and all inner products of these vectors.
//
// The two loops of Nocedal (1980) compute -Hg with one product and one sum per vector and loop. The direction
// is a linear combination of these vectors and g, so the loops can work on its coefficients instead (Chen, Wang
// and Zhou, NeurIPS 2014). One pass computes the products of g and the newest pair with all vectors, and one
// pass adds the vectors up. That takes 4·Memory reads, shared by threads, instead of 10·Memory dependent reads
// and writes.
type curvature[T matrix.Float] struct {
	pairs []pair[T] // oldest first
	spare pair[T]   // buffer for the next pair
	known int       // number of pairs whose products are in dots

	// dots holds the lower triangle of the products of s₁ y₁ s₂ y₂ … and, last, g.
	dots [][]float64
}

// pair is a step s and the change y of the smooth part's gradient along it.
type pair[T matrix.Float] struct{ s, y []T }

func (c *curvature[T]) forget() { c.pairs, c.known = nil, 0 }

// vectors returns the vectors of the pairs in the order of dots.
func (c *curvature[T]) vectors() [][]T {
	out := make([][]T, 0, 2*len(c.pairs)+1)
	for _, p := range c.pairs {
		out = append(out, p.s, p.y)
	}
	return out
}

// room returns a pair of n entries to fill before take.
func (c *curvature[T]) room(n int) pair[T] {
	if len(c.spare.s) != n {
		c.spare = pair[T]{s: make([]T, n), y: make([]T, n)}
	}
	return c.spare
}

// take adds the pair filled after room, with products sy and yy, and drops the oldest pair if there are more
// than most. It discards a step with too little curvature, because H would not be positive definite.
func (c *curvature[T]) take(most int, sy, yy float64) {
	if !Curved(sy, yy) {
		return
	}
	c.pairs = append(c.pairs, c.spare)
	c.spare = pair[T]{}
	if len(c.pairs) <= most {
		return
	}
	c.spare = c.pairs[0]
	c.pairs = slices.Delete(c.pairs, 0, 1)
	c.known = max(c.known-1, 0)
	for i := range 2 * c.known {
		copy(c.dots[i], c.dots[i+2][2:])
	}
}

// Curved reports whether L-BFGS may keep a pair with the products s·y and y·y.
func Curved(sy, yy float64) bool { return sy > 1e-10*yy && !math.IsInf(1/sy, 0) }

// survey computes the missing products, with g as the last vector, after prepare has set g[lo:hi].
func (c *curvature[T]) survey(threads int, g []T, prepare func(lo, hi int) float64) (largest float64) {
	all := append(c.vectors(), g)
	first := 2 * c.known // first row of dots that is missing
	for len(c.dots) < len(all) {
		c.dots = append(c.dots, make([]float64, len(c.dots)+1))
	}
	width := 1
	for row := first; row < len(all); row++ {
		width += row + 1
	}
	sums := make([]float64, width*((len(g)+gemm.Stretch-1)/gemm.Stretch))
	gemm.Stretches(threads, len(g), func(i, lo, hi int) {
		own := sums[i*width:][:width]
		own[0] = prepare(lo, hi)
		at := 1
		for row := first; row < len(all); row++ {
			x := all[row][lo:hi]
			for col := range row + 1 {
				own[at] = vec.Dot(x, all[col][lo:hi])
				at++
			}
		}
	})
	at := 1
	for row := first; row < len(all); row++ {
		for col := range row + 1 {
			sum := 0.0
			for i := at; i < len(sums); i += width {
				sum += sums[i]
			}
			c.dots[row][col] = sum
			at++
		}
	}
	for i := 0; i < len(sums); i += width {
		largest = max(largest, sums[i])
	}
	c.known = len(c.pairs)
	return largest
}

// TwoLoops returns the coefficients of the L-BFGS direction -Hg as a sum of s₁ y₁ s₂ y₂ … g. It reads the lower
// triangle of the products of these vectors. With ρ = 1/(s·y) and q = -g:
//
//	for the newest pair to the oldest:  α = ρ s·q,  q ← q - αy
//	q ← (s·y)/(y·y) q, by the newest pair
//	for the oldest pair to the newest:  q ← q + (α - ρ y·q)s.
//
// Cost: 4 (2m + 1) m for m pairs.
func TwoLoops(dots [][]float64) []float64 {
	n := len(dots)
	q, along := make([]float64, n), make([]float64, n/2)
	q[n-1] = -1
	times := func(i int) (sum float64) { // product of vector i with Σ q of the vectors
		for j, v := range q {
			sum += v * dots[max(i, j)][min(i, j)]
		}
		return sum
	}
	for k := n/2 - 1; k >= 0; k-- {
		along[k] = times(2*k) / dots[2*k+1][2*k]
		q[2*k+1] -= along[k]
	}
	if n > 1 {
		scale := dots[n-2][n-3] / dots[n-2][n-2]
		for i := range q {
			q[i] *= scale
		}
	}
	for k := range n / 2 {
		q[2*k] += along[k] - times(2*k+1)/dots[2*k+1][2*k]
	}
	return q
}
