package acyclic

import (
	"math/bits"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// powers fills pow[i] = B^{i+1} from pow[0] = B with len(pow)-1 products. Each product multiplies the two
// halves of its exponent, so rounding errors grow with the logarithm of the exponent.
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

// planBlocks returns the block length of the Paterson and Stockmeyer scheme with the fewest products.
func planBlocks(k int) (s, products int) {
	s, products = 1, 1<<30
	for t := 1; t <= k && t*t <= 4*k; t++ {
		n := (t - 1) + (k+t-1)/t - 1
		if n < products {
			s, products = t, n
		}
	}
	return s, products
}

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

// leading returns the number formed by the first three binary digits of k.
func leading(k int) int { return k >> max(digits(k)-3, 0) }

func digits(k int) int { return bits.Len(uint(k)) }
