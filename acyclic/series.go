package acyclic

import (
	"math/bits"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// powers fills pow[i] = B^{i+1} from pow[0] = B: len(pow)-1 products, each from the two halves of
// its exponent so that rounding grows with the logarithm of the exponent.
func powers[T matrix.Float](pow []*matrix.Dense[T], threads int) {
	for i := 1; i < len(pow); i++ {
		lo := (i+1)/2 - 1
		matrix.Mul(pow[i], pow[i-1-lo], pow[lo], threads)
	}
}

// block writes Σ_i (first+i) pow[i] into dst.
func block[T matrix.Float](dst *matrix.Dense[T], pow []*matrix.Dense[T], first float64) {
	if len(pow) == 3 { // K = 16: one pass over memory instead of three
		vec.Lin3(dst.Data, T(first), pow[0].Data, T(first+1), pow[1].Data, T(first+2), pow[2].Data)
		return
	}
	dst.Zero()
	for i, p := range pow {
		add(dst, T(first+float64(i)), p)
	}
}

// add computes dst += f·src on contiguous workspace matrices.
func add[T matrix.Float](dst *matrix.Dense[T], f T, src *matrix.Dense[T]) {
	vec.Axpy(dst.Data, f, src.Data)
}

func addDiagonal[T matrix.Float](m *matrix.Dense[T], v T) {
	for i := range m.Rows {
		m.Data[i*m.Stride+i] += v
	}
}

// topTrace returns tr(B^k) given B, …, B^s: B^{⌈k/2⌉} and B^{⌊k/2⌋} are formed, their product is not.
// It needs topProducts(k, s) products.
func topTrace[T matrix.Float](pow []*matrix.Dense[T], k int, x, y *matrix.Dense[T], threads int) float64 {
	s := len(pow)
	if k <= s {
		return pow[k-1].Trace()
	}
	if k <= 2*s {
		return matrix.TraceMul(pow[s-1], pow[k-s-1])
	}
	lo := power(pow, k/2, x, y, threads)
	free := x
	if lo == x {
		free = y
	}
	if k%2 == 0 {
		return traceSquare(lo, free)
	}
	matrix.Mul(free, lo, pow[0], threads)
	return matrix.TraceMul(free, lo)
}

// traceSquare returns tr(X²) = Σ x_ij x_ji. It turns a strip of columns into rows at a time, which stay in the first cache until they
// meet the rows of X. X and scratch are contiguous.
func traceSquare[T matrix.Float](x, scratch *matrix.Dense[T]) float64 {
	const width = 48 // at most; at least the 16 of a block where there are so many
	d := x.Rows
	strips := (d + width - 1) / width
	sum := 0.0
	for s := range strips {
		i0, i1 := s*d/strips, (s+1)*d/strips
		gemm.Transpose(d, i1-i0, scratch.Data, d, x.Data[i0:], d)
		sum += vec.Dot(scratch.Data[:(i1-i0)*d], x.Data[i0*d:i1*d])
	}
	return sum
}

// power returns B^e, e > s, by square and multiply on B^s, then by the remainder. The result is x or y.
func power[T matrix.Float](pow []*matrix.Dense[T], e int, x, y *matrix.Dense[T], threads int) *matrix.Dense[T] {
	s := len(pow)
	q, r := e/s, e%s
	cur, free := pow[s-1], x
	step := func(by *matrix.Dense[T]) {
		matrix.Mul(free, cur, by, threads)
		if cur == pow[s-1] {
			cur, free = x, y
		} else {
			cur, free = free, cur
		}
	}
	for bit := bits.Len(uint(q)) - 2; bit >= 0; bit-- {
		step(cur)
		if q>>bit&1 == 1 {
			step(pow[s-1])
		}
	}
	if r > 0 {
		step(pow[r-1])
	}
	return cur
}

// topProducts counts the products of topTrace.
func topProducts(k, s int) int {
	if k <= 2*s {
		return 0
	}
	e := k / 2
	if e <= s {
		return k % 2
	}
	q := e / s
	n := bits.Len(uint(q)) - 1 + bits.OnesCount(uint(q)) - 1
	if e%s > 0 {
		n++
	}
	return n + k%2
}

// planBlocks returns the block length of Paterson and Stockmeyer's scheme with the fewest products.
func planBlocks(k int) (s, products int) {
	s, products = 1, 1<<30
	for t := 1; t <= k && t*t <= 4*k; t++ {
		n := (t - 1) + (k+t-1)/t - 1 + topProducts(k, t)
		if n < products {
			s, products = t, n
		}
	}
	return s, products
}

// planDoubling counts the products of doubling.
func planDoubling(k int) int {
	m := leading(k)
	n := m - 1
	for bit := digits(k) - digits(m) - 1; bit >= 0; bit-- {
		n += 2
		if bit > 0 || k&1 == 1 {
			n++
		}
		if k>>bit&1 == 1 && bit > 0 {
			n++
		}
	}
	return n
}

// leading returns the number that the first three binary digits of k spell.
func leading(k int) int { return k >> max(digits(k)-3, 0) }

func digits(k int) int { return bits.Len(uint(k)) }
